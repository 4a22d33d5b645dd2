package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"confit/integration/volume"
)

// keySize is how many bytes a key holds: with 10,000 keys as much as fits into a ConfigMap, 1 MiB.
const keySize = 100

// volumeName and the names of the keys are short: in a hook's environment all of them must fit into one variable, which
// the kernel bounds at 128 KiB (MAX_ARG_STRLEN, execve(2)).
const volumeName = "v"

// site is what surrounds one confit: its volume, state directory, links file and targets.
type site struct {
	dir     string
	keys    volume.Payload
	edition int    // counts the edits, so that no content is like one before
	name    string // of the volume; "": volumeName
}

// newSite makes a site whose volume holds n keys.
func (b *bench) newSite(keys int) (*site, error) {
	b.sites++
	s := &site{dir: filepath.Join(b.dir, fmt.Sprint(b.sites)), keys: volume.Payload{}}
	for i := range keys {
		s.keys[fmt.Sprintf("k%05d", i)] = volume.File{Data: s.content(), Mode: 0o644}
	}
	if err := os.MkdirAll(s.volume(), 0o755); err != nil {
		return nil, err
	}
	return s, volume.Write(s.volume(), s.keys)
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) volume() string { return filepath.Join(s.dir, "volumes", cmp.Or(s.name, volumeName)) }

func (s *site) target(key string) string { return filepath.Join(s.dir, "targets", key) }

// linkEach writes a links file with one line for each key.
func (s *site) linkEach() error {
	var lines strings.Builder
	for _, key := range s.names() {
		fmt.Fprintf(&lines, "link %s/%s %s\n", volumeName, key, s.target(key))
	}
	return os.WriteFile(s.path("links"), []byte(lines.String()), 0o644)
}

// linkAll writes a links file with one line for all keys, each of which gets its own link.
func (s *site) linkAll() error {
	line := fmt.Sprintf("link %s/ %s/\n", volumeName, s.target(""))
	return os.WriteFile(s.path("links"), []byte(line), 0o644)
}

func (s *site) names() []string { return slices.Sorted(maps.Keys(s.keys)) }

// confitOn is the command line that runs an app on this site.
func (b *bench) confitOn(s *site, flags []string, app ...string) []string {
	argv := []string{b.confit, "--links", s.path("links"), "--volumes", filepath.Dir(s.volume()), "--state", s.path("state"), "--probation", "0s"}
	return slices.Concat(argv, flags, []string{"--"}, app)
}

// edit gives the first keys another content.
func (s *site) edit(keys int) {
	s.edition++
	for _, key := range s.names()[:keys] {
		s.keys[key] = volume.File{Data: s.content(), Mode: 0o644}
	}
}

// content is what the last edit wrote.
func (s *site) content() []byte {
	return fmt.Appendf(nil, "%*d\n", keySize-1, s.edition)
}

// swap brings the keys into the volume and returns when the rename of ..data began. It takes the steps 4 to 7 and 10 of
// volume.Write, in the same order and as fast, as volume.Write doesn't return that moment; the visible links of the same keys
// stay as they are. It reads the clock before the rename, because the app may be signalled before the call returns.
func (s *site) swap() (time.Duration, error) {
	data, next := filepath.Join(s.volume(), "..data"), filepath.Join(s.volume(), "..data_tmp")
	old, err := os.Readlink(data)
	if err != nil {
		return 0, err
	}
	fresh, err := s.writeKeys()
	if err != nil {
		return 0, err
	}
	if err := os.Symlink(filepath.Base(fresh), next); err != nil {
		return 0, err
	}
	at := now()
	if err := os.Rename(next, data); err != nil {
		return 0, err
	}
	return at, os.RemoveAll(filepath.Join(s.volume(), old))
}

// writeKeys writes all keys into a new directory of the volume.
func (s *site) writeKeys() (string, error) {
	fresh, err := os.MkdirTemp(s.volume(), time.Now().UTC().Format("..2006_01_02_15_04_05."))
	if err != nil {
		return "", err
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return "", err
	}
	for name, f := range s.keys {
		path := filepath.Join(fresh, name)
		if err := os.WriteFile(path, f.Data, f.Mode); err != nil {
			return "", err
		}
		if err := os.Chmod(path, f.Mode); err != nil {
			return "", err
		}
	}
	return fresh, nil
}
