package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	kubelet "confit/integration/volume"
)

// hashName is the file of a fallback's volume that is no key.
const hashName = ".confit-hash"

// newFallback is a fixture with a fallback.
func newFallback(t testing.TB, links ...string) *fixture {
	t.Helper()
	h := newFixture(t, links...)
	h.config.Fallback = h.path("fallback")
	return h
}

// bake makes the fallback's volume hold just these keys, as an image does.
func (h *fixture) bake(name string, kv ...string) {
	h.Helper()
	h.must(os.RemoveAll(h.path("fallback", name)))
	h.must(os.MkdirAll(h.path("fallback", name), 0o755))
	for i := 0; i+1 < len(kv); i += 2 {
		h.put(h.path("fallback", name, kv[i]), kv[i+1])
	}
}

// writeFallback makes the fallback's volume hold just these keys, in the kubelet's way.
func (h *fixture) writeFallback(name string, kv ...string) {
	h.Helper()
	h.must(os.MkdirAll(h.path("fallback", name), 0o755))
	h.must(kubelet.Write(h.path("fallback", name), kubelet.Strings(kv...)))
}

func (h *fixture) stageFallback() Candidate {
	h.Helper()
	if !h.linker.HasFallback() {
		h.Fatal("there is no fallback")
	}
	c, err := h.linker.StageFallback(h.known())
	h.must(err)
	if !c.Fallback {
		h.Errorf("staged %+v, which is no fallback", c)
	}
	h.candidate = c
	return c
}

// fallsBack stages, publishes and accepts the fallback.
func (h *fixture) fallsBack() Candidate {
	h.Helper()
	c := h.stageFallback()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	return c
}

func (h *fixture) wantNoFallback() {
	h.Helper()
	if _, err := h.linker.StageFallback(h.known()); !errors.Is(err, ErrNoFallback) || h.linker.HasFallback() {
		h.Errorf("error %v, want that there is no fallback", err)
	}
}

// wantInvalidFallback looks for words in the error.
func (h *fixture) wantInvalidFallback(words ...string) {
	h.Helper()
	_, err := h.linker.StageFallback(h.known())
	var bad *Invalid
	if !errors.As(err, &bad) {
		h.Fatalf("error %v (%T), want an Invalid", err, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			h.Errorf("error %q does not say %q", err, w)
		}
	}
}

// What the fallback lacks of a volume comes from what is mounted; of one that it
// has, nothing does.
func TestFallback(t *testing.T) {
	for name, write := range map[string]func(*fixture, string, ...string){"baked": (*fixture).bake, "mounted": (*fixture).writeFallback} {
		t.Run(name, func(t *testing.T) {
			h := newFallback(t, "web/a a", "web/*.conf conf.d/", "web/ all", "env tls/token TOKEN", "tls/ tls")
			h.write("tls", "token", "secret")
			h.open()
			h.invalid("web", "not mounted")
			h.wantNoFallback()
			write(h, "web", "a", "fallen", "x.conf", "x", hashName, "one two")
			c := h.fallsBack()
			h.reads("a", "fallen", "all/a", "fallen", "conf.d/x.conf", "x", "tls/token", "secret", "all/"+hashName, absent)
			h.wantVariables(c.Generation, "TOKEN=secret")
			if got := h.linker.Volumes(); len(got) != 2 || got[0].Path != h.path("volumes/web") {
				t.Errorf("reports %+v, want what is mounted", got)
			}
			if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
				t.Errorf("error %v, want that nothing mounted has changed", err)
			}

			h.must(h.linker.WriteNote(h.note))
			h.restart()
			h.must(h.former.Untrusted)
			if a := h.note.Ladder.InForce(); !a.Fallback || a.Hash != c.Hash {
				t.Errorf("took up %+v, want the fallback", a)
			}
			h.invalid("web", "not mounted")

			h.write("web", "a", "fallen", "x.conf", "x")
			mounted := h.stage()
			if mounted.Fallback || mounted.Number != c.Number || mounted.Hash != c.Hash {
				t.Errorf("staged %+v, want generation %d, which is mounted now", mounted, c.Number)
			}
			h.accept()
			if a := h.note.Ladder.InForce(); a.Fallback || !a.Started {
				t.Errorf("accepted %+v, want what is mounted", a)
			}
			h.must(h.linker.WriteNote(h.note))
			h.restart()
			if a := h.note.Ladder.InForce(); a.Fallback {
				t.Errorf("took up %+v, want what is mounted", a)
			}
			h.noLeftovers()
		})
	}
}

// Neither a missing directory nor an optional ConfigMap that doesn't exist is a
// fallback; nor is one of other volumes.
func TestFallback_none(t *testing.T) {
	h := newFallback(t, "web/a a", h0)
	h.write("web", "a", "1")
	h.write("direct", "b", "1")
	h.open()
	h.wantNoFallback()
	h.writeFallback("web")
	h.wantNoFallback()
	h.writeFallback("web", hashName, "one two")
	h.wantNoFallback()
	h.writeFallback("other", "a", "1")
	h.writeFallback("direct", "b", "2")
	h.wantNoFallback()
	h.writeFallback("web", "a", "2")
	h.fallsBack()
	h.reads("a", "2", "b", "1")
	h.close()
	h.config.Fallback = ""
	h.open()
	h.wantNoFallback()
}

// h0 is a line that keeps a volume where it is.
const h0 = "direct/b b direct"

// Volumes that were written one after the other don't make a fallback together.
func TestFallback_hashes(t *testing.T) {
	h := newFallback(t, "web/a a", "app/b b", "more/c c")
	h.open()
	h.writeFallback("web", "a", "1", hashName, "h1 whole1\n")
	h.writeFallback("app", "b", "1", hashName, "h2 whole2\n")
	h.writeFallback("more", "c", "1")
	h.wantInvalidFallback(h.path("fallback/web"), h.path("fallback/app"), "different configurations")
	h.writeFallback("app", "b", "2", hashName, "h3 whole1\n")
	h.fallsBack()
	h.reads("a", "1", "b", "2", "c", "1")
	for _, bad := range []string{"", "one", "one two three", strings.Repeat("x", 2<<10) + " y"} {
		h.bake("more", "c", "1", hashName, bad)
		h.wantInvalidFallback(h.path("fallback/more"), hashName)
	}
	h.bake("more", "c", "1")
	h.must(os.Mkdir(h.path("fallback/more", hashName), 0o755))
	h.wantInvalidFallback(h.path("fallback/more"), hashName, "a directory")
}

// A fallback can be bad, too. What was seen of what is mounted stays seen.
func TestFallback_invalid(t *testing.T) {
	h := newFallback(t, "web/a a", "web/b b")
	h.write("web", "a", "1")
	h.open()
	h.invalid("b")
	h.bake("web", "a", "1")
	h.wantInvalidFallback(h.path("fallback/web"), `"b"`)
	h.wantInvalidFallback()
	h.invalidStill()
	h.put(h.path("fallback/file"), "no directory")
	h.must(os.RemoveAll(h.path("fallback/web")))
	h.must(os.Rename(h.path("fallback/file"), h.path("fallback/web")))
	if _, err := h.linker.StageFallback(h.known()); err == nil || errors.Is(err, ErrNoFallback) || !h.linker.HasFallback() {
		t.Errorf("error %v, want one that says why it can't be looked at", err)
	}
}

// invalidStill holds that what is mounted was seen.
func (h *fixture) invalidStill() {
	h.Helper()
	if _, err := h.tryStage(); !errors.Is(err, ErrUnchanged) {
		h.Errorf("staged again without a change: %v", err)
	}
}

// A fallback is superseded when the volumes move that its keys came from, and no
// others.
func TestFallback_moves(t *testing.T) {
	h := newFallback(t, "web/a a", "tls/t t")
	h.write("web", "a", "bad")
	h.write("tls", "t", "1")
	h.open()
	h.writeFallback("web", "a", "good")
	h.stage()

	h.stageFallback()
	h.writeFallback("web", "a", "better")
	if err := h.linker.Publish(h.candidate.Number, false); !errors.Is(err, ErrSuperseded) {
		t.Errorf("error %v, want superseded", err)
	}
	h.stageFallback()
	h.write("tls", "t", "2")
	if err := h.linker.Publish(h.candidate.Number, false); !errors.Is(err, ErrSuperseded) {
		t.Errorf("error %v, want superseded", err)
	}
	h.stageFallback()
	h.write("web", "a", "fixed")
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	h.reads("a", "better", "t", "2")
	h.adopt()
	h.reads("a", "fixed", "t", "2")
}

// The renderer makes files of the fallback as of what is mounted.
func TestFallback_rendered(t *testing.T) {
	h := newFallback(t, "web/tpl tpl", "{rendered}/r r", "tls/t t")
	h.config.Render = true
	h.write("web", "tpl", "mounted")
	h.write("tls", "t", "1")
	h.open()
	h.bake("web", "tpl", "fallen")
	h.render(h.stage(), "other", "x")
	if _, err := h.linker.Complete(h.candidate.Number, h.note.Ladder.InForce().Number); err == nil {
		t.Error("a missing file was rendered")
	}
	c := h.stageFallback()
	h.render(c, "r", "rendered")
	h.complete()
	h.must(h.linker.Publish(h.candidate.Number, true))
	h.reads("tpl", "fallen", "r", "rendered")
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	h.reads("tpl", "fallen", "r", "rendered", "t", "1")
	h.write("web", "tpl", "fallen")
	if c = h.stage(); c.Fallback || c.Unrendered {
		t.Errorf("staged %+v, want what is mounted, once it was rendered", c)
	}
}

// The volumes may be keys of one directory.
func TestFallback_one_volume(t *testing.T) {
	h := newFallback(t, "a a", "*.conf conf.d/", "sub/b b")
	h.must(os.MkdirAll(h.path("volumes/sub"), 0o755))
	h.put(h.path("volumes/a"), "1")
	h.put(h.path("volumes/x.conf"), "1")
	h.put(h.path("volumes/sub/b"), "1")
	h.open()
	h.bake("sub", "b", "2")
	h.fallsBack()
	h.reads("a", "1", "conf.d/x.conf", "1", "b", "2")
	h.put(h.path("fallback/a"), "3")
	h.put(h.path("fallback/y.conf"), "3")
	h.stageFallback()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.reads("a", "3", "conf.d/x.conf", absent, "conf.d/y.conf", "3", "b", "2")
}
