package linker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/lines"
)

// renderer is a fixture whose renderer writes these files: NAME, CONTENT, …
func renderer(t testing.TB, links ...string) *fixture {
	t.Helper()
	h := newFixture(t, links...)
	h.config.Render = true
	return h
}

// render does what a renderer does between the two halves of a stage.
func (h *fixture) render(c Candidate, files ...string) {
	h.Helper()
	if !c.Unrendered {
		h.Fatalf("%+v needs no renderer", c)
	}
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(c.Dir, lines.RenderedDir, files[i])
		h.must(os.MkdirAll(filepath.Dir(path), 0o755))
		h.must(os.WriteFile(path, []byte(files[i+1]), 0o644))
	}
}

func (h *fixture) complete() Candidate {
	h.Helper()
	c, err := h.linker.Complete(h.candidate.Number, h.note.Ladder.InForce().Number)
	h.must(err)
	h.candidate = c
	return c
}

// renders stages, renders, completes, publishes and accepts.
func (h *fixture) renders(files ...string) Candidate {
	h.Helper()
	h.render(h.stage(), files...)
	c := h.complete()
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	return c
}

func TestRendered(t *testing.T) {
	h := renderer(t, "input web/tpl", "web/a a", "{rendered}/app.conf app.conf", "{rendered}/conf.d/*.conf conf.d/", "{rendered}/tree/ tree", "env {rendered}/level LEVEL")
	h.write("web", "tpl", "t1", "a", "a1")
	h.open()
	first := h.renders("app.conf", "r1", "conf.d/x.conf", "x1", "conf.d/y.txt", "y", "tree/deep/z", "z1", "level", "info", "unused", "u")
	h.reads("a", "a1", "app.conf", "r1", "conf.d/x.conf", "x1", "conf.d/y.txt", absent, "tree/deep/z", "z1")
	h.wantVariables(first.Generation, "LEVEL=info")
	if changed(first) != ".rendered/app.conf .rendered/conf.d/x.conf .rendered/level .rendered/tree/deep/z web/a web/tpl" {
		t.Errorf("changed: %s", changed(first))
	}
	if _, err := os.Lstat(filepath.Join(first.Dir, lines.RenderedDir, "unused")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what no line asks for is in the generation: %v", err)
	}

	h.write("web", "tpl", "t2", "a", "a1")
	c := h.stage()
	if !c.Unrendered || changed(c) != "web/tpl" || c.Shared == first.Shared {
		t.Errorf("the renderer would be given %+v", c)
	}
	h.reads("app.conf", "r1")
	h.render(c, "app.conf", "r2", "tree/deep/z", "z1", "conf.d/x.conf", "x1", "level", "info")
	if c = h.complete(); changed(c) != ".rendered/app.conf web/tpl" {
		t.Errorf("changed: %s", changed(c))
	}
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	h.reads("app.conf", "r2", "conf.d/x.conf", "x1", "a", "a1")
	h.must(h.linker.WriteNote(h.note))
	h.noLeftovers()
}

// Once it has run, nothing is rendered as long as no staged key differs.
func TestRendered_only_when_an_input_changed(t *testing.T) {
	h := renderer(t, "input web/tpl", "{rendered}/r r")
	h.write("web", "tpl", "1", "other", "x")
	h.open()
	first := h.renders("r", "1")
	h.write("web", "tpl", "1", "other", "y")
	if c := h.stage(); c.Unrendered || c.Generation != first.Generation {
		t.Errorf("staged %+v, want the live generation", c)
	}
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	h.reads("r", "1")
}

// The same bytes of other inputs change the generation, but no file that is
// linked; the same bytes of the same inputs, at a start, are the stored one.
func TestRendered_same_output(t *testing.T) {
	h := renderer(t, "input web/tpl", "{rendered}/r r", "env {rendered}/e E")
	h.write("web", "tpl", "1")
	h.open()
	h.renders("r", "same", "e", "v")
	h.write("web", "tpl", "2")
	second := h.renders("r", "same", "e", "v")
	if changed(second) != "web/tpl" {
		t.Errorf("changed: %s", changed(second))
	}
	h.must(h.linker.WriteNote(h.note))
	h.restart()
	h.must(h.former.Untrusted)
	accepted := h.note.Ladder.InForce()
	h.wantVariables(accepted.Generation, "E=v")
	c := h.stage()
	h.render(c, "r", "same", "e", "v")
	if c = h.complete(); c.Generation != accepted.Generation || len(c.Changes) != 0 {
		t.Errorf("completed %+v, want what is stored, %+v", c.Generation, accepted.Generation)
	}
	h.must(h.linker.Publish(h.candidate.Number, false))
	h.accept()
	h.reads("r", "same")
	h.noLeftovers()

	h.restart() // the image is new: the same inputs make something else
	h.render(h.stage(), "r", "other", "e", "v")
	if c = h.complete(); changed(c) != ".rendered/r" || c.Shared != second.Shared {
		t.Errorf("completed %+v", c)
	}
}

func TestRendered_refused(t *testing.T) {
	for name, try := range map[string]struct {
		do    func(h *fixture, key, dir string) error
		words string
	}{
		"FIFO":        {func(h *fixture, _, dir string) error { return unix.Mkfifo(dir+"/r", 0o644) }, `made a FIFO, "r"`},
		"link out":    {func(h *fixture, _, dir string) error { return os.Symlink("/etc/shadow", dir+"/r") }, `made a symlink, "r"`},
		"link inside": {func(h *fixture, _, dir string) error { return os.Symlink("q", dir+"/r") }, `made a symlink, "r"`},
		"newline":     {func(h *fixture, _, dir string) error { return os.WriteFile(dir+"/a\nb", nil, 0o644) }, "holds a control character"},
		"..data":      {func(h *fixture, _, dir string) error { return os.Mkdir(dir+"/..data", 0o755) }, "two dots"},
		"missing":     {func(h *fixture, _, dir string) error { return os.Remove(dir + "/q") }, `the renderer made no "{rendered}/q"`},
		"a directory": {func(h *fixture, _, dir string) error {
			return errors.Join(os.Remove(dir+"/q"), os.Mkdir(dir+"/q", 0o755))
		}, "is a directory"},
		"changes a key":  {func(h *fixture, key, _ string) error { return os.WriteFile(key, []byte("x"), 0o644) }, `changed key "web/tpl"`},
		"removes a key":  {func(h *fixture, key, _ string) error { return os.Remove(key) }, `removed key "web/tpl"`},
		"removes its":    {func(h *fixture, _, dir string) error { return os.RemoveAll(dir) }, "removed its directory"},
		"replaces its":   {func(h *fixture, _, dir string) error { return errors.Join(os.RemoveAll(dir), os.Symlink("/etc", dir)) }, "removed its directory"},
		"a NUL variable": {func(h *fixture, _, dir string) error { return os.WriteFile(dir+"/e", []byte("secret\x00"), 0o644) }, `variable "E": it holds a NUL`},
	} {
		t.Run(name, func(t *testing.T) {
			h := renderer(t, "input web/tpl", "{rendered}/q q", "{rendered}/r r optional", "env {rendered}/e E optional")
			h.write("web", "tpl", "1")
			h.open()
			h.renders("q", "1")
			h.write("web", "tpl", "2")
			c := h.stage()
			h.render(c, "q", "2")
			h.must(try.do(h, filepath.Join(c.Dir, "web/tpl"), filepath.Join(c.Dir, lines.RenderedDir)))
			_, err := h.linker.Complete(h.candidate.Number, h.note.Ladder.InForce().Number)
			if err == nil || !strings.Contains(err.Error(), try.words) || strings.Contains(err.Error(), "secret") {
				t.Fatalf("error %v, want %q", err, try.words)
			}
			h.must(h.goBack())
			h.reads("q", "1")
			h.write("web", "tpl", "3")
			h.renders("q", "3")
			h.reads("q", "3")
			h.must(h.linker.WriteNote(h.note))
			h.noLeftovers()
		})
	}
}

// What the renderer left running writes to files that nobody reads any more.
func TestRendered_open_files(t *testing.T) {
	h := renderer(t, "input web/tpl", "{rendered}/r r")
	h.write("web", "tpl", "1")
	h.open()
	c := h.stage()
	h.render(c, "r", "1")
	f, err := os.OpenFile(filepath.Join(c.Dir, lines.RenderedDir, "r"), os.O_WRONLY, 0)
	h.must(err)
	defer f.Close()
	h.complete()
	_, err = f.WriteString("later")
	h.must(err)
	h.must(h.linker.Publish(h.candidate.Number, true))
	h.accept()
	h.reads("r", "1")
}

// A rendered file is no more readable than the strictest staged key, whatever the
// renderer's umask, unless its line says otherwise.
func TestRendered_modes(t *testing.T) {
	type attributes struct {
		mode  os.FileMode
		group int
	}
	for name, try := range map[string]struct {
		one, other, made attributes // of two keys, and of what the renderer makes
		line, want       os.FileMode
	}{
		"not for its group": {attributes{0o644, 0}, attributes{0o604, 0}, attributes{0o755, 7}, 0, 0o500},
		"for everybody":     {attributes{0o644, 0}, attributes{0o444, 7}, attributes{0o755, 8}, 0, 0o555},
		"for root":          {attributes{0o644, 0}, attributes{0o400, 0}, attributes{0o755, 7}, 0, 0o500},
		"for a group":       {attributes{0o440, 7}, attributes{0o640, 7}, attributes{0o644, 7}, 0, 0o440},
		"of another group":  {attributes{0o440, 7}, attributes{0o644, 7}, attributes{0o644, 8}, 0, 0o400},
		"for two groups":    {attributes{0o440, 7}, attributes{0o440, 8}, attributes{0o644, 8}, 0, 0o400},
		"made for less":     {attributes{0o640, 7}, attributes{0o644, 7}, attributes{0o600, 7}, 0, 0o400},
		"as it is said":     {attributes{0o400, 7}, attributes{0o400, 7}, attributes{0o600, 7}, 0o755, 0o555},
		"said for less":     {attributes{0o644, 7}, attributes{0o644, 7}, attributes{0o644, 7}, 0o600, 0o400},
	} {
		t.Run(name, func(t *testing.T) {
			h := renderer(t, "input web/one", "env web/other O", "{rendered}/r r", "{rendered}/r other")
			h.config.Links[2].Mode = try.line
			set := func(path string, a attributes) {
				h.must(errors.Join(os.Chown(path, -1, a.group), os.Chmod(path, a.mode)))
			}
			h.write("web", "one", "1", "other", "2")
			set(h.path("volumes/web/..data/one"), try.one)
			set(h.path("volumes/web/..data/other"), try.other)
			h.open()
			c := h.stage()
			h.render(c, "r", "rendered")
			set(filepath.Join(c.RenderDir(), "r"), try.made)
			h.complete()
			h.must(h.linker.Publish(h.candidate.Number, true))
			h.accept()
			if info, err := os.Stat(h.path("etc/r")); err != nil || info.Mode() != try.want {
				t.Errorf("it is %v (%v), want %v", info.Mode(), err, try.want)
			}
			h.must(h.linker.WriteNote(h.note))
			h.restart()
			h.must(h.former.Untrusted)
			if number := h.note.Ladder.InForce().Number; number != 1 {
				t.Errorf("stored is %v", number)
			}
		})
	}
}

func TestRendered_many(t *testing.T) {
	h := renderer(t, "input web/tpl", "{rendered}/ r/")
	h.write("web", "tpl", "1")
	h.open()
	var files []string
	for i := range 1000 {
		files = append(files, fmt.Sprintf("f%d", i), fmt.Sprint(i))
	}
	if c := h.renders(files...); len(c.Changes) != 1001 {
		t.Errorf("%d changes", len(c.Changes))
	}
	h.reads("r/f999", "999")
}

// A stage that comes before the renderer has ended begins anew.
func TestRendered_superseded(t *testing.T) {
	h := renderer(t, "input web/tpl", "{rendered}/r r")
	h.write("web", "tpl", "1")
	h.open()
	h.renders("r", "1")
	h.write("web", "tpl", "2")
	h.render(h.stage(), "r", "half")
	h.write("web", "tpl", "3")
	h.renders("r", "3")
	h.reads("r", "3")
	h.must(h.linker.WriteNote(h.note))
	h.noLeftovers()
	if _, err := h.linker.Complete(h.candidate.Number, h.note.Ladder.InForce().Number); err == nil {
		t.Error("completed what waits for nothing")
	}
}

func TestRendered_lines(t *testing.T) {
	for _, try := range []struct {
		render        bool
		source, words string
		direct        bool
	}{
		{false, "{rendered}/a", "nothing is rendered", false},
		{true, "{rendered}/a", "can't be direct", true},
		{true, "{rendered}/../a", "leaves {rendered}", false},
		{true, "{rendered}", "names no file", false},
		{true, ".rendered/a", "is where confit puts", false},
	} {
		_, err := Check(Config{Render: try.render, Volumes: "/v", State: "/s",
			Links: []Link{{Source: try.source, Target: "/etc/a", Direct: try.direct, Where: "links:1"}}})
		if err == nil || !strings.Contains(err.Error(), try.words) {
			t.Errorf("%q: error %v, want %q", try.source, err, try.words)
		}
	}
}
