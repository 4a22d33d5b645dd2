package confit

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// The app's user takes a key's mode to 0, and confit runs as him: nobody could read it any more. It comes back with its mode. An owner and
// a mode that confit can read stay, and nothing is written for them.
func TestRepair_mode_that_keeps_confit_out(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.runAs(nobody)
	s.line("rescan 200ms")
	s.line("link web/other %s", s.target("other"))
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	web.swap(keys{"text": "first", "other": "x"})
	c := s.first(s.printer()...)
	s.damage(errors.Join(os.Chmod(s.keyOf("1", "web/text"), 0), os.Chmod(s.keyOf("1", "web/other"), 0o404)))
	c.logs(repaired, 1)
	s.hasMode(s.target("text"), 0o444, nobody)
	s.hasMode(s.target("other"), 0o404, nobody)
	c.tells(0, "nothing wrong", report.quiet)
	before := s.inode(s.keyOf("1", "web/other"))
	s.damage(os.Chown(s.keyOf("1", "web/other"), 0, 0))
	c.looksAt(web)
	c.looksAt(web)
	if s.inode(s.keyOf("1", "web/other")) != before {
		t.Error("a key was written again whose owner is another")
	}
	c.wantLogged(repaired, 1)
}

func (s *setup) inode(path string) uint64 {
	s.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// A daemon keeps journals beside its files, as named does: they stay, also where a file is damaged, and where the app has them open.
func TestRepair_leaves_journals(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("rescan 200ms")
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	web.swap(keys{"text": "first"})
	journal := s.keyOf("1", "web/text.jnl")
	c := s.start("sh", "-c", `exec 3>`+journal+`; echo one >&3; echo ready; trap 'echo two >&3; exit 0' TERM; while :; do sleep 0.05; done`)
	c.Says("ready", 1)
	c.looksAt(web)
	c.wantLogged(repaired, 0)
	s.damage(overwrite(s.keyOf("1", "web/text"), "damaged"))
	c.logs(repaired, 1)
	s.wantFiles(keys{"text": "first"})
	c.stops(0)
	if got := s.read(journal); got != "one\ntwo\n" {
		t.Errorf("the journal has %q", got)
	}
	s.start(s.printer()...).Says("ready", 1)
	if exists(journal) {
		t.Error("the journal is there after another start")
	}
}
