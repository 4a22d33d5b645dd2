package linker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	kubelet "confit/integration/volume"
	"confit/linker/files"
)

func TestStageOneKey(t *testing.T) {
	h := newFixture(t, "web/a.conf a.conf")
	h.write("web", "a.conf", "one", "other", "x")
	h.open()
	if c := h.adopt(); c.Number != 1 || changed(c) != "web/a.conf" || c.Writing != OneSwap {
		t.Errorf("candidate %+v", c)
	}
	h.reads("a.conf", "one")
	if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
		t.Errorf("staged without a swap: %v", err)
	}
	h.write("web", "a.conf", "two", "other", "x")
	h.adopt()
	h.reads("a.conf", "two")
}

// TestStageWriting: a volume that no link names doesn't count.
func TestStageWriting(t *testing.T) {
	for want, links := range [][]string{
		OneSwap:    {"web/a a", "web/b b optional"},
		SwapBySwap: {"web/a a", "tls/a b"},
		FileByFile: {"web/a a", "plain/a b"},
	} {
		h := newFixture(t, links...)
		h.write("web", "a", "one")
		h.write("tls", "a", "one")
		h.put(filepath.Join(h.plain("plain"), "a"), "one")
		if c := h.open().stage(); c.Writing != Writing(want) {
			t.Errorf("%q: %v, want %v", links, c.Writing, want)
		}
	}
}

func TestStageOtherKeyOfTheVolume(t *testing.T) {
	h := newFixture(t, "web/a.conf a.conf")
	h.write("web", "a.conf", "one", "token", "x")
	h.open()
	first := h.adopt()
	h.write("web", "a.conf", "one", "token", "y")
	if c := h.stage(); c.Generation != first.Generation {
		t.Errorf("a rotated token is generation %v, want the live one, %v", c.Generation, first.Generation)
	}
}

func TestStageGlobAndTrees(t *testing.T) {
	h := newFixture(t, "web/*.conf conf.d/", "tls/ tls/", "tls/ whole", "web/sub/*/x names/")
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
	h := newFixture(t, "web/a.conf a.conf", "web/b.conf b.conf optional", "web/*.d d/ optional", "web/e/ e/", "gone/x x")
	h.write("web", "a.conf", "one")
	h.open()
	h.invalid(`no key of volume`, `"web/e/"`, `"gone/x" needs volume`)
	h.write("web", "z", "z")
	h.invalid(`key "a.conf" is missing`, "optional")
}

// TestStageSharesNothing: whoever changes a file of a candidate changes no
// other generation's.
func TestStageSharesNothing(t *testing.T) {
	h := newFixture(t, "web/ web/")
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
	h := newFixture(t, "web/a a")
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

func TestStageDirect(t *testing.T) {
	h := newFixture(t, "web/a a direct")
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
		"a FIFO":         func(p string) error { return unix.Mkfifo(p, 0o644) },
		"is a directory": func(p string) error { return os.Mkdir(p, 0o755) },
		"out of the volume: put the file itself there": func(p string) error { return os.Symlink("/etc/passwd", p) },
		"leads nowhere":               func(p string) error { return os.Symlink("nothing", p) },
		"too many levels":             func(p string) error { return os.Symlink("key", p) },
		"a device":                    func(p string) error { return unix.Mknod(p, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) },
		"a socket":                    func(p string) error { return unix.Mknod(p, unix.S_IFSOCK|0o666, 0) },
		"is a link out of the volume": func(p string) error { return os.Symlink("../../../../etc/passwd", p) },
	}
	for words, put := range plant {
		t.Run(words, func(t *testing.T) {
			h := newFixture(t, "plain/key key")
			h.must(os.MkdirAll(h.path("volumes/plain"), 0o755))
			h.must(put(h.path("volumes/plain/key")))
			h.open()
			h.invalid(words, `"key"`)
		})
	}
}

// TestNoLinks: confit without links is a plain init, and still goes through the
// whole of a first transaction.
func TestNoLinks(t *testing.T) {
	h := newFixture(t).open()
	if c := h.adopt(); c.Number != 1 || len(c.Changes) > 0 {
		t.Errorf("candidate %+v", c)
	}
	if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
		t.Errorf("staged again: %v", err)
	}
}

// TestCheckAfterHook: a hook that changed its candidate is found out, by the name of
// what it changed; who changed nothing isn't blamed.
func TestCheckAfterHook(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(h *fixture) error
		want string
	}{
		"nothing":    {func(*fixture) error { return nil }, ""},
		"read":       {func(h *fixture) error { _, err := os.ReadFile(h.path("state/generations/2/web/a")); return err }, ""},
		"same bytes": {write("generations/2/web/a", "a2"), ""},
		"bytes":      {write("generations/2/web/a", "b2"), `the hook changed key "web/a" of its candidate: let it write elsewhere`},
		"appended":   {appendTo("generations/2/web/a"), `the hook changed key "web/a" of its candidate: let it write elsewhere`},
		"emptied":    {write("generations/2/web/sub/b", ""), `the hook changed key "web/sub/b" of its candidate: let it write elsewhere`},
		"mode":       {chmod("generations/2/web/a", 0o600), `the hook changed the mode or owner of key "web/a" of its candidate: let it write elsewhere`},
		"owner":      {chown("generations/2/web/a"), `the hook changed the mode or owner of key "web/a" of its candidate: let it write elsewhere`},
		"removed":    {takeAway("generations/2/web/a"), `the hook removed key "web/a" from its candidate: let it write elsewhere`},
		"added":      {write("generations/2/web/x", ""), ""},
		"directory":  {addDir("generations/2/web/dir/x"), ""},
		"its mode":   {chmod("generations/2/web/sub", 0o700), `the hook changed the mode or owner of directory "web/sub" of its candidate: let it write elsewhere`},
		"all of it":  {takeAway("generations/2"), `the hook removed directory "." from its candidate: let it write elsewhere`},
		"symlink":    {replace("generations/2/web/a", func(p string) error { return os.Symlink("sub/b", p) }), `the hook changed key "web/a" of its candidate: let it write elsewhere`},
		"two": {func(h *fixture) error {
			return errors.Join(takeAway("generations/2/web/a")(h), write("generations/2/web/x", "")(h))
		}, `the hook removed key "web/a" from its candidate: let it write elsewhere`},
		"many": {func(h *fixture) error {
			for n := range 30 {
				h.must(takeAway(fmt.Sprintf("generations/2/web/sub/many%02d", n))(h))
			}
			return nil
		}, "and 20 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			keys := []string{"a", "a2", "sub/b", "b2"}
			for n := range 30 {
				keys = append(keys, fmt.Sprintf("sub/many%02d", n), "")
			}
			h.write("web", keys...)
			h.stage()
			h.must(tt.do(h))
			got := ""
			if err := h.linker.Publish(h.candidate.Number, true); err != nil {
				var bad *Invalid
				if !errors.As(err, &bad) {
					t.Errorf("%v is the system's", err)
				}
				got = err.Error()
				h.reads("web/sub/b", "b1") // nothing is published
			}
			if got != tt.want && (name != "many" || !strings.HasSuffix(got, tt.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestCheck_removes_what_is_new: what a hook leaves beside the keys doesn't reject
// its candidate. It is removed, and said once for a hook that does so each time.
func TestCheck_removes_what_is_new(t *testing.T) {
	h := newStored(t, "web/ web/")
	for n := 2; n < 5; n++ {
		h.write("web", "a", fmt.Sprint(n))
		c := h.stage()
		cache := filepath.Join(c.Dir, "web/__pycache__/a.pyc")
		h.must(errors.Join(os.Mkdir(filepath.Dir(cache), 0o500), os.WriteFile(cache, nil, 0), os.Symlink("/etc", filepath.Join(c.Dir, "l"))))
		h.must(h.linker.Publish(h.candidate.Number, true))
		if !files.Missing(filepath.Dir(cache)) || !files.Missing(filepath.Join(c.Dir, "l")) {
			t.Error("it is still there")
		}
		if _, err := os.Stat("/etc/passwd"); err != nil {
			t.Fatal(err)
		}
		h.accept()
	}
	const want = `msg="removed what a hook left in its candidate" paths="[l web/__pycache__]" count=2`
	if said := h.said.String(); strings.Count(said, want) != 1 {
		t.Errorf("it says %s, want once %s", said, want)
	}
}

// TestCheckWithinATick: a change that leaves size and times as they were, as
// the kernel's clock is coarse, is found.
func TestCheckWithinATick(t *testing.T) {
	h := newFixture(t, "web/ web/")
	for n := range often(200) {
		h.write("web", "a", fmt.Sprint(n%10), "b", "b")
		h.open()
		h.stage()
		h.must(os.WriteFile(h.path("state/generations/1/web/a"), []byte("x"), 0o644))
		if err := h.linker.Publish(h.candidate.Number, true); err == nil {
			t.Fatalf("not found in attempt %d", n)
		}
		h.linker.Discard(h.candidate.Number)
		h.close()
	}
}
