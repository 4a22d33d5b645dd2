package linker

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// What a confit of version devel-g02bb524 left when it was killed while it asked a gate about an edit. DIR stands for the
// house.
var leftBefore = map[string]string{
	"accepted.json":       `{"version":2,"accepted":{"number":1,"hash":"c47a3ff426252714914a6ed37ea6e2322efbaab3322b168676e7315024db1b78","survived":true,"acceptedAt":1795401709,"links":"3b1d543faff2401b7660e8e647956095ed4c8491ebcd4656bc3557d848472db9","keys":{"web/a":{"sha256":"0111f7554519f7126c570c154b894f1fbcddf4faa126f6d644b974dab6c77411","mode":292,"owner":0,"group":0,"size":3,"links":[0]}},"targets":{"DIR/etc/a":{"dest":"DIR/state/live/web/a"}}}}`,
	"report.json":         `{"version":1,"hash":"0ded3e75233673b477885d83ef11dce969c02c615400d1c4866fac5368d33c78","outcome":"","step":"","reason":"","source":""}`,
	"trial.json":          `{"version":2,"hash":"1b20fd620530aed1a24f4c99103c560a911761f62c40aecf57a8de60602e2151","step":"validate","kills":1,"boot":""}`,
	"targets.json":        `{"DIR/etc/a":"DIR/state/live/web/a"}`,
	"packs/1":             "a1\n",
	"packs/2":             "a2\n",
	"generations/1/web/a": "a1\n",
	"generations/2/web/a": "a2\n",
}

// newBefore is a house whose state directory a confit of before has left. Its target covers a file.
func newBefore(t *testing.T, links ...string) *house {
	h := newHouse(t, links...)
	h.write("web", "a", "a2\n")
	for name, text := range leftBefore {
		path := h.path("state", name)
		h.must(os.MkdirAll(path[:strings.LastIndex(path, "/")], 0o755))
		h.must(os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", h.dir)), 0o644))
	}
	h.must(errors.Join(os.Symlink("generations/1", h.path("state/live")), os.MkdirAll(h.path("etc"), 0o755),
		os.Symlink(h.path("state/live/web/a"), h.path("etc/a")), os.WriteFile(h.path("etc/.confit-kept-a"), []byte("of the image"), 0o644)))
	return h
}

// TestBefore: a state directory of before is taken over, and that is said once. What it
// accepted isn't used, its gate is told, and nothing of it is left.
func TestBefore(t *testing.T) {
	h := newBefore(t, "web/a a").open()
	h.wantAccepted(0)
	h.reads("a", "a1\n")
	record := Record{Hash: "0ded3e75233673b477885d83ef11dce969c02c615400d1c4866fac5368d33c78", Outcome: "stopped"}
	h.wantRecord(&record)
	if n := strings.Count(h.said.String(), "state directory of an earlier version"); n != 1 {
		t.Errorf("said %d times:\n%s", n, &h.said)
	}
	if h.linker.former.Killed != (Trial{}) {
		t.Errorf("killed in %+v", h.linker.former.Killed)
	}
	if c := h.adopt(); c.Hash.Hex() != "1b20fd620530aed1a24f4c99103c560a911761f62c40aecf57a8de60602e2151" {
		t.Errorf("the hash of the same keys is %s", c.Hash.Hex())
	}
	h.must(h.linker.Store())
	h.linker.Tidy()
	h.reads("a", "a2\n")
	if got := strings.Join(h.names("state"), " "); got != "generations kept live lock note.json targets.json" {
		t.Errorf("there is %s", got)
	}
}

// TestBeforeCovered: what its targets cover comes back when no line names them any more.
func TestBeforeCovered(t *testing.T) {
	h := newBefore(t, "web/a b").open()
	h.adopt()
	h.reads("a", "of the image", "b", "a2\n")
}
