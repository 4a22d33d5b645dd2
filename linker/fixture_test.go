package linker

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	kubelet "confit/integration/volume"
	"confit/linker/files"
)

// fixture is a linker with volumes in a temporary directory. The volumes are
// written by confit/integration/volume, which makes the kubelet's system calls
// in the kubelet's order.
type fixture struct {
	testing.TB
	dir    string
	linker *Linker
	config Config
	said   bytes.Buffer // what the linker says

	former    *Former     // what it has found
	note      Note        // what is accepted
	seen      Fingerprint // of the last look that came to an end
	candidate Candidate   // what was staged last; Number 0: nothing, or it was accepted or taken back
}

// newFixture builds a fixture whose links are lines of SOURCE TARGET [OPTION…];
// targets are below the fixture's etc. "input SOURCE" and "env SOURCE NAME" are
// lines, too.
func newFixture(t testing.TB, links ...string) *fixture {
	t.Helper()
	dir := t.TempDir()
	h := &fixture{TB: t, dir: dir, config: Config{
		Volumes: filepath.Join(dir, "volumes"), State: filepath.Join(dir, "state"),
		AllowDisk: true,
	}}
	h.config.Log = slog.New(slog.NewTextHandler(&h.said, nil))
	for _, line := range links {
		h.config.Links = append(h.config.Links, lineOf(filepath.Join(dir, "etc"), strings.Fields(line)))
	}
	return h
}

func lineOf(etc string, words []string) (l Link) {
	switch words[0] {
	case "input":
		l, words = Link{Use: Input, Source: words[1]}, words[2:]
	case "env":
		l, words = Link{Use: Variable, Source: words[1], Name: words[2]}, words[3:]
	default:
		l, words = Link{Source: words[0], Target: Target(etc + "/" + words[1])}, words[2:]
	}
	l.Optional = slices.Contains(words, "optional")
	l.Direct = slices.Contains(words, "direct")
	l.Local = slices.Contains(words, "local")
	return l
}

func (h *fixture) path(elements ...string) string {
	return filepath.Join(append([]string{h.dir}, elements...)...)
}

// write makes the volume hold just these keys, in the kubelet's way.
func (h *fixture) write(name string, kv ...string) {
	h.Helper()
	h.must(os.MkdirAll(h.path("volumes", name), 0o755))
	h.must(kubelet.Write(h.path("volumes", name), kubelet.Strings(kv...)))
}

func (h *fixture) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// checked is the configuration, with its links understood.
func (h *fixture) checked() Config {
	h.Helper()
	c, err := Check(h.config)
	h.must(err)
	return c
}

func (h *fixture) open() *fixture {
	h.Helper()
	l, former, err := Open(h.checked())
	h.must(err)
	h.begins(l, former)
	h.Cleanup(h.close)
	return h
}

// close lets the state directory go, as the end of the process does.
func (h *fixture) close() {
	if h.linker != nil {
		h.linker.state.Lock.Close()
		if w := h.linker.watch.Watcher; w != nil {
			h.must(w.Close())
		}
		h.linker = nil
	}
}

// stage stages a candidate that must be good.
func (h *fixture) stage() Candidate {
	h.Helper()
	c, err := h.tryStage()
	h.must(err)
	return c
}

// adopt stages, publishes and accepts.
func (h *fixture) adopt() Candidate {
	h.Helper()
	c := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	return c
}

// accept accepts what is published, and has survived a start.
func (h *fixture) accept() {
	h.accepts(true)
	h.collect()
}

// absent is what a target reads that isn't there.
const absent = "(absent)"

// reads checks what an app finds below etc: NAME, CONTENT, …; absent for
// nothing.
func (h *fixture) reads(nameContent ...string) {
	h.Helper()
	for i := 0; i+1 < len(nameContent); i += 2 {
		got := absent
		if data, err := os.ReadFile(h.path("etc", nameContent[i])); err == nil {
			got = string(data)
		}
		if got != nameContent[i+1] {
			h.Errorf("%s reads %q, want %q", nameContent[i], got, nameContent[i+1])
		}
	}
}

// invalid stages what can't be a candidate, and looks for words in the error.
func (h *fixture) invalid(words ...string) {
	h.Helper()
	_, err := h.tryStage()
	var bad *Invalid
	if !errors.As(err, &bad) {
		h.Fatalf("error %v (%T), want an Invalid", err, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			h.Errorf("error %q does not say %q", err, w)
		}
	}
	if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
		h.Errorf("staged again without a change: %v", err)
	}
}

func changed(c Candidate) string {
	var list []string
	for _, change := range c.Changes {
		key := string(change.Key)
		if change.ModeOnly {
			key += " (mode)"
		}
		list = append(list, key)
	}
	return strings.Join(list, " ")
}

// restart opens another linker on the same state, as a new confit does.
func (h *fixture) restart() *fixture {
	h.Helper()
	h.close()
	return h.open()
}

// noted plans what publishing the staged generation does, and writes it down.
func (h *fixture) noted() {
	h.Helper()
	p := h.linker.targets.Plan(h.linker.generations[h.candidate.Number].Targets)
	made := maps.Clone(h.linker.targets.Made())
	for _, s := range p.Links {
		made[s.Target] = s.Dest
	}
	h.must(errors.Join(p.Err(), h.linker.state.WriteJSON("targets.json", made)))
}

// noLeftovers holds that nothing temporary and no generation but the live one
// is left.
func (h *fixture) noLeftovers() {
	h.Helper()
	_ = filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasPrefix(name, files.TmpPrefix) || strings.HasPrefix(name, files.KeptPrefix) || strings.HasSuffix(name, ".tmp") {
			h.Errorf("left behind: %s", path)
		}
		return err
	})
	generations, err := os.ReadDir(h.path("state/generations"))
	h.must(err)
	if len(generations) > 1 {
		h.Errorf("generations left: %v", generations)
	}
}

// plain makes a plain volume with these keys and returns its directory.
func (h *fixture) plain(name string, kv ...string) string {
	h.Helper()
	dir := h.path("volumes", name)
	h.must(os.MkdirAll(dir, 0o755))
	for i := 0; i+1 < len(kv); i += 2 {
		h.put(filepath.Join(dir, kv[i]), kv[i+1])
	}
	return dir
}

func (h *fixture) put(path, content string) {
	h.Helper()
	h.must(os.MkdirAll(filepath.Dir(path), 0o755))
	h.must(os.WriteFile(path, []byte(content), 0o644))
}

// bound is how long a test waits for what must not hang.
const bound = time.Minute

// tree describes all that is below a directory: type, mode, owner, group and
// bytes by path.
func (h *fixture) tree(elements ...string) map[string]string {
	h.Helper()
	top := h.path(elements...)
	found := map[string]string{}
	h.must(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		h.must(err)
		var data []byte
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
			h.must(err)
			if len(data) > 1000 { // a program
				sum := sha256.Sum256(data)
				data = sum[:]
			}
		}
		st := info.Sys().(*syscall.Stat_t)
		found[strings.TrimPrefix(path, top)] = fmt.Sprintf("%v %d:%d %q", info.Mode(), st.Uid, st.Gid, data)
		return nil
	}))
	return found
}

// wantTree checks what is below a directory.
func (h *fixture) wantTree(want map[string]string, elements ...string) {
	h.Helper()
	if got := h.tree(elements...); !maps.Equal(got, want) {
		h.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// fill leaves no room in the state directory.
func (h *fixture) fill() {
	h.Helper()
	f, err := os.Create(h.path("state/filler"))
	h.must(err)
	defer f.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, unix.ENOSPC) {
		h.Fatal(err)
	}
}

// point moves the live link.
func (h *fixture) point(number int) {
	h.Helper()
	ready, err := h.linker.state.PrepareLive(number)
	h.must(errors.Join(err, h.linker.state.SwapLive(number, ready)))
}
