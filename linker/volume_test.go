package linker

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	kubelet "confit/integration/volume"
)

// house is a linker with volumes in a temporary directory. The volumes are
// written by confit/integration/volume, which makes the kubelet's system calls
// in the kubelet's order.
type house struct {
	testing.TB
	dir    string
	linker *Linker
	config Config
	said   bytes.Buffer // what the linker says
}

// newHouse builds a house whose links are lines of SOURCE TARGET [OPTION…];
// targets are below the house's etc.
func newHouse(t testing.TB, links ...string) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{TB: t, dir: dir, config: Config{
		Volumes: filepath.Join(dir, "volumes"), State: filepath.Join(dir, "state"),
		AllowDisk: true,
	}}
	h.config.Log = slog.New(slog.NewTextHandler(&h.said, nil))
	for _, line := range links {
		words := strings.Fields(line)
		l := Link{Source: words[0], Target: filepath.Join(dir, "etc") + "/" + words[1]}
		for _, option := range words[2:] {
			l.Optional = l.Optional || option == "optional"
			l.Direct = l.Direct || option == "direct"
		}
		h.config.Links = append(h.config.Links, l)
	}
	return h
}

func (h *house) path(elements ...string) string {
	return filepath.Join(append([]string{h.dir}, elements...)...)
}

// write makes the volume hold just these keys, in the kubelet's way.
func (h *house) write(name string, kv ...string) {
	h.Helper()
	h.must(os.MkdirAll(h.path("volumes", name), 0o755))
	h.must(kubelet.Write(h.path("volumes", name), kubelet.Strings(kv...)))
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *house) open() *house {
	h.Helper()
	l, err := Open(h.config)
	h.must(err)
	h.linker = l
	h.Cleanup(h.close)
	return h
}

// close lets the state directory go, as the end of the process does.
func (h *house) close() {
	if h.linker != nil {
		h.linker.state.lock.Close()
		if w := h.linker.watch.inotify; w != nil {
			w.Close()
		}
		h.linker = nil
	}
}

// stage stages a candidate that must be good.
func (h *house) stage() Candidate {
	h.Helper()
	c, err := h.linker.Stage()
	h.must(err)
	return c
}

// adopt stages, publishes and accepts.
func (h *house) adopt() Candidate {
	h.Helper()
	c := h.stage()
	h.must(h.linker.Publish())
	h.accept()
	return c
}

// accept accepts what is published, and has survived a start.
func (h *house) accept() {
	h.linker.Accept(true)
	h.linker.Tidy()
}

// reads checks what an app finds below etc: NAME, CONTENT, …; absent for
// nothing.
func (h *house) reads(nameContent ...string) {
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
func (h *house) invalid(words ...string) {
	h.Helper()
	_, err := h.linker.Stage()
	var bad *Invalid
	if !errors.As(err, &bad) {
		h.Fatalf("error %v (%T), want an Invalid", err, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			h.Errorf("error %q does not say %q", err, w)
		}
	}
	if _, err := h.linker.Stage(); !errors.Is(err, ErrUnchanged) {
		h.Errorf("staged again without a change: %v", err)
	}
}

func changed(c Candidate) string {
	var list []string
	for _, change := range c.Changes {
		key := change.Key
		if change.ModeOnly {
			key += " (mode)"
		}
		list = append(list, key)
	}
	return strings.Join(list, " ")
}

func TestStageOneKey(t *testing.T) {
	h := newHouse(t, "web/a.conf a.conf")
	h.write("web", "a.conf", "one", "other", "x")
	h.open()
	if c := h.adopt(); c.Number != 1 || changed(c) != "web/a.conf" || !c.Single {
		t.Errorf("candidate %+v", c)
	}
	h.reads("a.conf", "one")
	if _, err := h.linker.Stage(); !errors.Is(err, ErrUnchanged) {
		t.Errorf("staged without a swap: %v", err)
	}
	h.write("web", "a.conf", "two", "other", "x")
	h.adopt()
	h.reads("a.conf", "two")
}

func TestStageOtherKeyOfTheVolume(t *testing.T) {
	h := newHouse(t, "web/a.conf a.conf")
	h.write("web", "a.conf", "one", "token", "x")
	h.open()
	first := h.adopt()
	h.write("web", "a.conf", "one", "token", "y")
	if c := h.stage(); c.Generation != first.Generation {
		t.Errorf("a rotated token is generation %v, want the live one, %v", c.Generation, first.Generation)
	}
}

func TestStageGlobAndTrees(t *testing.T) {
	h := newHouse(t, "web/*.conf conf.d/", "tls/ tls/", "tls/ whole", "web/sub/*/x names/")
	h.write("web", "a.conf", "a", "b.conf", "b", "c.txt", "c", "sub/one/x", "1", "sub/two/x", "2", "sub/deep/er/x", "no")
	h.write("tls", "crt", "crt", "nested/key", "key")
	h.open()
	h.adopt()
	h.reads("conf.d/a.conf", "a", "conf.d/b.conf", "b", "conf.d/c.txt", absent,
		"tls/crt", "crt", "tls/nested/key", "key", "whole/crt", "crt", "whole/nested/key", "key",
		"names/one/x", "1", "names/two/x", "2", "names/deep/er/x", absent)

	h.write("web", "b.conf", "b", "d.conf", "d", "sub/two/x", "2")
	if c := h.adopt(); changed(c) != "web/d.conf web/a.conf web/sub/one/x" {
		t.Errorf("changes: %s", changed(c))
	}
	h.reads("conf.d/a.conf", absent, "conf.d/b.conf", "b", "conf.d/d.conf", "d", "names/one/x", absent)
}

func TestStageMissingKeys(t *testing.T) {
	h := newHouse(t, "web/a.conf a.conf", "web/b.conf b.conf optional", "web/*.d d/ optional", "web/e/ e/", "gone/x x")
	h.write("web", "a.conf", "one")
	h.open()
	h.invalid(`no key of volume`, `"web/e/"`, `"gone/x" needs volume`)
	h.write("web", "z", "z")
	h.invalid(`key "a.conf" is missing`, "optional")
}

// TestStageSharesNothing: whoever changes a file of a candidate changes no
// other generation's.
func TestStageSharesNothing(t *testing.T) {
	h := newHouse(t, "web/ web/")
	h.write("web", "a", "same", "b", "one")
	h.open()
	first := h.adopt()
	before, err := os.Stat(filepath.Join(first.Dir, "web/a"))
	h.must(err)
	h.write("web", "a", "same", "b", "two")
	second := h.adopt()
	after, err := os.Stat(filepath.Join(second.Dir, "web/a"))
	h.must(err)
	if os.SameFile(before, after) || after.Sys().(*syscall.Stat_t).Nlink != 1 {
		t.Error("an unchanged file was linked, not copied")
	}
	if _, err := os.Stat(first.Dir); err == nil {
		t.Error("the generation before is still there")
	}
}

func TestStageModeOnly(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.write("web", "a", "same", "b", "1")
	h.open()
	h.adopt()
	h.must(kubelet.Write(h.path("volumes/web"), kubelet.Payload{
		"a": {Data: []byte("same"), Mode: 0o600}, "b": {Data: []byte("2")}}))
	if c := h.adopt(); changed(c) != "web/a (mode)" {
		t.Errorf("changes: %s", changed(c))
	}
	info, err := os.Stat(h.path("etc/a"))
	h.must(err)
	if info.Mode().Perm() != 0o400 {
		t.Errorf("mode %v, want 0400", info.Mode())
	}
}

func TestStageSizeLimit(t *testing.T) {
	h := newHouse(t, "web/a a", "web/b b", "web/c c direct")
	h.write("web", "a", strings.Repeat("a", 600), "b", strings.Repeat("b", 600), "c", strings.Repeat("c", 6000))
	h.open()
	h.linker.sizeLimit = 1000
	h.invalid("hold more than", `key "b"`, "direct")
}

func TestStageDirect(t *testing.T) {
	h := newHouse(t, "web/a a direct")
	h.write("web", "a", "one")
	h.open()
	c := h.adopt()
	h.reads("a", "one")
	if _, err := os.Stat(filepath.Join(c.Dir, "web/a")); err == nil {
		t.Error("a direct key was copied")
	}
	h.write("web", "a", "two")
	h.reads("a", "two") // without confit: that is what direct means
	if c := h.stage(); changed(c) != "web/a" {
		t.Errorf("changes: %s", changed(c))
	}
}

// TestStageRefusesByName plants in a plain volume what is no key.
func TestStageRefusesByName(t *testing.T) {
	plant := map[string]func(path string) error{
		"a FIFO":          func(p string) error { return unix.Mkfifo(p, 0o644) },
		"is a directory":  func(p string) error { return os.Mkdir(p, 0o755) },
		"escapes":         func(p string) error { return os.Symlink("/etc/passwd", p) },
		"leads nowhere":   func(p string) error { return os.Symlink("nothing", p) },
		"too many levels": func(p string) error { return os.Symlink("key", p) },
		"a device":        func(p string) error { return unix.Mknod(p, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) },
		"a socket":        func(p string) error { return unix.Mknod(p, unix.S_IFSOCK|0o666, 0) },
		`volume "`:        func(p string) error { return os.Symlink("../../../../etc/passwd", p) },
	}
	for words, put := range plant {
		t.Run(words, func(t *testing.T) {
			h := newHouse(t, "plain/key key")
			h.must(os.MkdirAll(h.path("volumes/plain"), 0o755))
			h.must(put(h.path("volumes/plain/key")))
			h.open()
			h.invalid(words, `"key"`)
		})
	}
}
