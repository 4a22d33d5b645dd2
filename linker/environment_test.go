package linker

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func variables(g Generation) []string {
	if g.Env == nil {
		return nil
	}
	return g.Env.Variables
}

func (h *fixture) wantVariables(g Generation, want ...string) {
	h.Helper()
	if got := variables(g); !slices.Equal(got, want) {
		h.Errorf("the variables are %q, want %q", got, want)
	}
}

func TestEnvironment(t *testing.T) {
	h := newFixture(t, "env app/level LOG_LEVEL", "env app/env/ APP_*", "env app/env/b BE", "env app/*.txt T_*_T", "web/a a")
	h.write("app", "level", "debug\n", "env/a", "", "env/b", "two\nlines\n", "x.txt", "x")
	h.write("web", "a", "1")
	h.open()
	c := h.adopt()
	want := []string{"APP_a=", "APP_b=two\nlines\n", "BE=two\nlines\n", "LOG_LEVEL=debug\n", "T_x.txt_T=x"}
	h.wantVariables(c.Generation, want...)
	if !slices.Equal(c.Env.Newlines, []string{"LOG_LEVEL"}) {
		t.Errorf("newlines at the end: %q", c.Env.Newlines)
	}
	if h.reads("level", absent); len(h.linker.targets.Made()) != 1 {
		t.Errorf("targets were made for variables: %v", h.linker.targets.Made())
	}

	accepted := h.note.Ladder.InForce()
	if accepted.Env != c.Env {
		t.Error("the accepted generation has another environment than the candidate had")
	}
	h.must(h.linker.WriteNote(h.note))
	h.restart()
	h.must(h.former.Untrusted)
	accepted = h.note.Ladder.InForce()
	h.wantVariables(accepted.Generation, want...)
	if accepted.Shared != c.Shared {
		t.Error("the shared hash of a stored generation differs")
	}
	if c := h.stage(); c.Env != accepted.Env {
		t.Error("what is live was read anew")
	}
}

// A line that names a key wins over one with a *, wherever it stands.
func TestEnvironment_exact_line_wins(t *testing.T) {
	h := newFixture(t, "env app/b APP_a", "env app/ APP_*")
	h.write("app", "a", "by the star", "b", "by its name")
	h.open()
	h.wantVariables(h.stage().Generation, "APP_a=by its name", "APP_b=by its name")
}

func TestEnvironment_optional_key_goes(t *testing.T) {
	h := newFixture(t, "env app/a A optional", "env app/sub/ S_* optional", "env app/b B")
	h.write("app", "a", "1", "b", "2", "sub/x", "3")
	h.open()
	h.wantVariables(h.adopt().Generation, "A=1", "B=2", "S_x=3")
	h.write("app", "b", "2")
	h.wantVariables(h.adopt().Generation, "B=2")
	h.write("app", "a", "1")
	h.invalid(`key "b" is missing`)
}

func TestEnvironment_refused(t *testing.T) {
	for name, try := range map[string]struct{ line, key, value, words string }{
		"NUL":            {"env app/k K", "k", "secret\x00", `variable "K": it holds a NUL`},
		"too long":       {"env app/k K", "k", strings.Repeat("s", 128<<10-3), `variable "K": it would have 131070 bytes`},
		"just too long":  {"env app/k KK", "k", strings.Repeat("s", 128<<10-3), "131071"},
		"name with =":    {"env app/ A_*", "a=b", "secret", `variable "A_a=b": its name holds a =`},
		"confit's own":   {"env app/ *", "CONFIT_STATE", "secret", `variable "CONFIT_STATE", which has a meaning`},
		"sd_listen_fds":  {"env app/ LISTEN*", "_PID", "secret", `variable "LISTEN_PID"`},
		"sd_notify":      {"env app/ *", "NOTIFY_SOCKET", "secret", `variable "NOTIFY_SOCKET"`},
		"all too large":  {"env app/ *", "K", strings.Repeat("s", 5000), `variable "K" first`},
		"not even large": {"env app/ *", "K", strings.Repeat("s", 4999), ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, try.line)
			h.config.Space = 5000 + len("K=") + 1 + pointerSize - 1
			if len(try.value) > 10000 {
				h.config.Space = 0
			}
			h.write("app", try.key, try.value)
			h.open()
			_, err := h.tryStage()
			fits := try.words == "" || name == "too long" // with NAME= it has just the size that there may be
			if name == "too long" {
				try.words = ""
			}
			if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), try.words) {
				t.Fatalf("error %v, want %q", err, try.words)
			}
			if err != nil && strings.Contains(err.Error(), "sss") || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error holds a value: %v", err)
			}
		})
	}
}

// A line that names one key wins over two with a * that make the same variable, wherever it stands.
func TestEnvironment_one_key_wins(t *testing.T) {
	for _, lines := range [][]string{{"env app/ A_*", "env web/ A_*", "env web/k A_k"}, {"env web/k A_k", "env app/ A_*", "env web/ A_*"}} {
		h := newFixture(t, lines...)
		h.write("app", "k", "1")
		h.write("web", "k", "2")
		h.open()
		if _, err := h.tryStage(); err != nil {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

func TestEnvironment_two_keys_for_one_variable(t *testing.T) {
	h := newFixture(t, "env app/ A_*", "env web/ A_*")
	h.write("app", "k", "1")
	h.write("web", "k", "2")
	h.open()
	h.invalid(`variable "A_k" is made of key "app/k" already`)

	_, err := Check(Config{Volumes: "/v", State: "/s", Links: []Link{
		{Use: Variable, Source: "app/a", Name: "A", Where: "links:1"}, {Use: Variable, Source: "app/b", Name: "A", Where: "links:2"}}})
	if err == nil || !strings.Contains(err.Error(), `links:2: variable "A" has a key already, for source "app/a" at links:1`) {
		t.Errorf("error %v", err)
	}
}

// A copy that somebody wrote to is not the environment that was accepted.
func TestEnvironment_copy_changed(t *testing.T) {
	h := newFixture(t, "env app/a A")
	h.write("app", "a", "1")
	h.open()
	c := h.adopt()
	h.must(h.linker.WriteNote(h.note))
	h.must(os.WriteFile(c.Dir+"/app/a", []byte("2"), 0o644))
	h.restart()
	h.must(h.former.Untrusted)
	accepted := h.note.Ladder.InForce()
	h.wantVariables(accepted.Generation, "A=1") // staged again
}

// An input is staged, and nothing points at it.
func TestInput(t *testing.T) {
	h := newFixture(t, "input web/tpl", "input web/parts/ optional", "web/*.conf conf.d/")
	h.write("web", "tpl", "t", "parts/x", "x", "a.conf", "a")
	h.open()
	c := h.adopt()
	for _, key := range []string{"web/tpl", "web/parts/x", "web/a.conf"} {
		if _, err := os.Stat(c.Dir + "/" + key); err != nil {
			t.Errorf("not staged: %v", err)
		}
	}
	if len(h.linker.targets.Made()) != 1 {
		t.Errorf("targets: %v", h.linker.targets.Made())
	}
	h.write("web", "tpl", "u", "a.conf", "a")
	if c := h.stage(); changed(c) != "web/tpl web/parts/x" {
		t.Errorf("changed: %s", changed(c))
	}
}

// A key that a line names isn't meant by the globs and directories of others.
func TestExact_source_exempts_its_key(t *testing.T) {
	h := newFixture(t, "web/*.conf conf.d/", "web/ all/", "web/ whole", "web/nginx.conf nginx.conf", "input web/in.conf", "env web/env.conf E", "env web/ V_*")
	h.write("web", "nginx.conf", "n", "in.conf", "i", "env.conf", "e", "a.conf", "a")
	h.open()
	c := h.adopt()
	h.reads("nginx.conf", "n", "conf.d/a.conf", "a", "all/a.conf", "a",
		"conf.d/nginx.conf", absent, "all/nginx.conf", absent, "conf.d/in.conf", absent, "all/env.conf", absent,
		"whole/nginx.conf", "n", "whole/in.conf", "i")
	h.wantVariables(c.Generation, "E=e", "V_a.conf=a", "V_env.conf=e", "V_in.conf=i", "V_nginx.conf=n")
	h.write("web", "nginx.conf", "n", "in.conf", "i", "env.conf", "e") // the glob matches nothing but what is named
	h.adopt()
	h.reads("conf.d/a.conf", absent, "nginx.conf", "n")
}

// The shared hash is the same in every replica: whatever modes and local keys
// are, and whatever else the volume holds.
func TestShared_hash(t *testing.T) {
	h := newFixture(t, "web/a a", "input pod/name local", "env pod/zone ZONE local", "web/ d/ direct optional")
	h.write("web", "a", "1", "direct", "d")
	h.write("pod", "name", "web-1", "zone", "b")
	h.open()
	first := h.adopt()
	h.write("pod", "name", "web-2", "zone", "c")
	second := h.adopt()
	if second.Shared != first.Shared || second.Hash == first.Hash {
		t.Errorf("local keys: %v and %v are shared, %v and %v whole", first.Shared, second.Shared, first.Hash, second.Hash)
	}
	if second.Local != "pod/name\npod/zone" {
		t.Errorf("local keys: %q", second.Local)
	}
	h.must(h.linker.WriteNote(h.note))
	h.restart()
	if got := h.wantAccepted(second.Number); got.Shared != second.Shared || got.Local != second.Local {
		t.Errorf("stored as %+v, want %+v", got, second)
	}
	h.write("web", "a", "2", "direct", "d")
	if c := h.adopt(); c.Shared == first.Shared {
		t.Error("another key has the same shared hash")
	}
	h.write("web", "a", "1", "direct", "e")
	if c := h.adopt(); c.Shared != first.Shared {
		t.Error("the same keys have another shared hash")
	}
}

// The option local says nothing of bytes and targets: with another one in its lines, the
// next confit trusts what is stored, and works out the shared hash anew.
func TestShared_hash_of_other_options(t *testing.T) {
	h := newFixture(t, "web/a a", "input pod/name")
	h.write("web", "a", "1")
	h.write("pod", "name", "web-1")
	h.open()
	first := h.adopt()
	h.must(h.linker.WriteNote(h.note))
	h.config.Links[1].Local = true
	h.restart()
	got := h.wantAccepted(first.Number)
	if got.Local != "pod/name" || got.Shared == first.Shared {
		t.Errorf("local keys %q, shared hash %v, was %v", got.Local, got.Shared, first.Shared)
	}
	if c := h.stage(); c.Number != first.Number || c.Shared != got.Shared || c.Local != got.Local {
		t.Errorf("mounted is %+v, stored %+v", c.Generation, got)
	}
}
