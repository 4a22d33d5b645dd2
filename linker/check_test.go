package linker

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestCheckAfterHook: a hook that changed its candidate is found out, by the name of
// what it changed; who changed nothing isn't blamed.
func TestCheckAfterHook(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(h *house) error
		want string
	}{
		"nothing":    {func(*house) error { return nil }, ""},
		"read":       {func(h *house) error { _, err := os.ReadFile(h.path("state/generations/2/web/a")); return err }, ""},
		"same bytes": {write("generations/2/web/a", "a2"), ""},
		"bytes":      {write("generations/2/web/a", "b2"), `the hook changed key "web/a" of its candidate: let it write elsewhere`},
		"appended":   {appendTo("generations/2/web/a"), `the hook changed key "web/a" of its candidate: let it write elsewhere`},
		"emptied":    {write("generations/2/web/sub/b", ""), `the hook changed key "web/sub/b" of its candidate: let it write elsewhere`},
		"mode":       {chmod("generations/2/web/a", 0o600), `the hook changed the mode or owner of key "web/a" of its candidate: let it write elsewhere`},
		"owner":      {chown("generations/2/web/a"), `the hook changed the mode or owner of key "web/a" of its candidate: let it write elsewhere`},
		"removed":    {takeAway("generations/2/web/a"), `the hook removed key "web/a" from its candidate: let it write elsewhere`},
		"added":      {write("generations/2/web/x", ""), `the hook added "web/x" to its candidate: let it write elsewhere`},
		"directory":  {addDir("generations/2/web/dir/x"), `the hook added "web/dir" to its candidate: let it write elsewhere`},
		"its mode":   {chmod("generations/2/web/sub", 0o700), `the hook changed the mode or owner of directory "web/sub" of its candidate: let it write elsewhere`},
		"all of it":  {takeAway("generations/2"), `the hook removed directory "." from its candidate: let it write elsewhere`},
		"symlink":    {replace("generations/2/web/a", func(p string) error { return os.Symlink("sub/b", p) }), `the hook changed key "web/a" of its candidate: let it write elsewhere`},
		"two": {func(h *house) error {
			return errors.Join(takeAway("generations/2/web/a")(h), write("generations/2/web/x", "")(h))
		}, `the hook added "web/x" to its candidate: let it write elsewhere
the hook removed key "web/a" from its candidate: let it write elsewhere`},
		"many": {func(h *house) error {
			for n := range 30 {
				h.must(write(fmt.Sprintf("generations/2/web/x%02d", n), "")(h))
			}
			return nil
		}, "and 20 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStored(t, "web/ web/")
			h.write("web", "a", "a2", "sub/b", "b2")
			h.stage()
			h.must(tt.do(h))
			got := ""
			if err := h.linker.Check(); err != nil {
				var bad *Invalid
				if !errors.As(err, &bad) {
					t.Errorf("%v is the system's", err)
				}
				got = err.Error()
			}
			if got != tt.want && (name != "many" || !strings.HasSuffix(got, tt.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			h.linker.Discard()
		})
	}
}

// TestCheckWithinATick: a change that leaves size and times as they were, as
// the kernel's clock is coarse, is found.
func TestCheckWithinATick(t *testing.T) {
	h := newHouse(t, "web/ web/")
	for n := range 200 {
		h.write("web", "a", fmt.Sprint(n%10), "b", "b")
		h.open()
		h.stage()
		h.must(os.WriteFile(h.path("state/generations/1/web/a"), []byte("x"), 0o644))
		if err := h.linker.Check(); err == nil {
			t.Fatalf("not found in attempt %d", n)
		}
		h.linker.Discard()
		h.close()
	}
}

// TestCheckNothing: there is nothing to check before something was staged.
func TestCheckNothing(t *testing.T) {
	if err := newHouse(t, "web/a a").open().linker.Check(); err == nil {
		t.Error("checked nothing")
	}
}
