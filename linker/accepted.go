package linker

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// acceptedVersion is the version of accepted.json. A file of another version
// isn't read: what it says may mean something else.
const acceptedVersion = 1

// accepted is accepted.json: which generation was accepted last, and what must
// be known of it to go back to it. It is only a note: what it says is compared
// with the files before it is believed.
type accepted struct {
	Version int                       `json:"version"`
	Number  int                       `json:"number"`
	Hash    string                    `json:"hash"`
	Links   string                    `json:"links"` // fingerprint of the link lines, and of what came of them
	Keys    map[string]acceptedKey    `json:"keys"`
	Targets map[string]acceptedTarget `json:"targets"`
}

// acceptedKey is a key of the accepted generation.
type acceptedKey struct {
	Sum    string      `json:"sha256"`
	Mode   fs.FileMode `json:"mode"`
	Links  []int       `json:"links"`
	Direct bool        `json:"direct,omitempty"`
}

// acceptedTarget is what a target of the accepted generation points at.
type acceptedTarget struct {
	Dest string `json:"dest"`
	Dir  bool   `json:"dir,omitempty"`
}

// Store writes down that the live generation was proved, so that it can be
// gone back to when confit starts again on the same state directory. It isn't
// forced to the disk, sync(2): a machine that loses power in that moment leaves
// a note that is recognised as none.
func (l *Linker) Store() error {
	g := l.live
	if g == nil {
		return errors.New("cannot store the accepted generation: there is none")
	}
	a := accepted{
		Version: acceptedVersion, Number: g.Number, Hash: g.Hash.Hex(), Links: l.linksPrint(g),
		Keys: map[string]acceptedKey{}, Targets: map[string]acceptedTarget{},
	}
	for path, f := range g.files {
		a.Keys[path] = acceptedKey{f.sum.Hex(), f.mode, f.links, f.direct}
	}
	for target, w := range g.targets {
		a.Targets[target] = acceptedTarget{w.dest, w.dir}
	}
	return l.state.writeJSON(acceptedName, a)
}

// linksPrint changes when another generation, or other targets, could follow
// from the same volumes; and when a damaged note names other targets, or other
// links, than it did.
func (l *Linker) linksPrint(g *generation) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", l.state.path)
	for _, s := range l.links {
		fmt.Fprintf(h, "%q %q %q %v %v\n", s.root, s.Source, s.Target, s.Optional, s.Direct)
	}
	for _, path := range sortedKeys(g.files) {
		fmt.Fprintf(h, "%q %v\n", path, g.files[path].links)
	}
	for _, target := range sortedKeys(g.targets) {
		fmt.Fprintf(h, "%q %q %v\n", target, g.targets[target].dest, g.targets[target].dir)
	}
	return Hash(h.Sum(nil)).Hex()
}

// readAccepted returns the stored generation when it is still what it was: nil
// without an error if none was ever stored, nil with the reason if what is
// there can't be trusted.
func (l *Linker) readAccepted() (*generation, error) {
	data, err := l.state.readTrusted(acceptedName)
	if err != nil || data == nil {
		return nil, err
	}
	var a accepted
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("cannot read %s: it is damaged: %w", acceptedName, err)
	}
	if a.Version != acceptedVersion {
		return nil, fmt.Errorf("cannot read %s: version %d, and this confit writes version %d", acceptedName, a.Version, acceptedVersion)
	}
	g := &generation{files: map[string]file{}, targets: map[string]want{}}
	g.Number = a.Number
	for target, t := range a.Targets {
		g.targets[target] = want{dest: t.Dest, dir: t.Dir}
	}
	if err := l.readBack(g, a.Keys); err != nil {
		return nil, fmt.Errorf("generation %d is not what it was: %w", a.Number, err)
	}
	g.Hash = hashOf(g.files)
	switch {
	case g.Hash.Hex() != a.Hash:
		return nil, fmt.Errorf("generation %d is not what it was: its hash differs", a.Number)
	case a.Links != l.linksPrint(g):
		return nil, fmt.Errorf("generation %d was made for other links than there are now", a.Number)
	}
	l.locate(g)
	return g, nil
}

// readBack reads the files of a stored generation, as they are. They must be
// just those of the note: a directory that is a target shows them all.
func (l *Linker) readBack(g *generation, keys map[string]acceptedKey) error {
	if err := l.state.trusted(filepath.Join(generationsName, strconv.Itoa(g.Number))); err != nil {
		return err
	}
	root, err := l.state.generations.OpenRoot(strconv.Itoa(g.Number))
	if err != nil {
		return err
	}
	defer root.Close()
	for path, k := range keys {
		if k.Direct {
			g.files[path] = file{sum: parseHash(k.Sum), mode: k.Mode, links: k.Links, direct: true}
		}
	}
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		k, known := keys[path]
		if !known || k.Direct {
			return fmt.Errorf("key %q is not its own", path)
		}
		g.files[path], err = l.readKeyBack(root, path, k.Links)
		return err
	})
}

func (l *Linker) readKeyBack(root *os.Root, path string, links []int) (file, error) {
	info, err := root.Lstat(path)
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("key %q is %s", path, describe(info.Mode()))
	}
	in, err := root.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return file{}, err
	}
	defer in.Close()
	sum, err := l.copySum(in, io.Discard)
	st := info.Sys().(*syscall.Stat_t)
	return file{sum: sum, mode: info.Mode().Perm(), owner: st.Uid, group: st.Gid, links: links}, err
}

// Accepted is the generation to go back to: the last one that was accepted, by
// this confit or, as long as none was, by a former one on the same state
// directory. Its number is 0 when there is none; the error then says why what
// is stored was not trusted, or is nil.
func (l *Linker) Accepted() (Generation, error) {
	if l.live == nil {
		return Generation{}, l.untrusted
	}
	return l.live.Generation, nil
}
