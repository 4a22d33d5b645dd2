package target

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
	"confit/linker/statedir"
)

// site is a directory with targets in every state there is, and a linker that
// knows which of them confit made.
type site struct {
	t       testing.TB
	dir     string
	targets *Set
	wanted  map[lines.Target]Want
	before  map[string]string // what a reader found at each target
	after   map[string]string // what it must find in the end
	kept    map[string]string // foreign content that must survive, by target
}

const absent = "(absent)"

// newSite draws a site from the dice.
func newSite(t testing.TB, dir string, r *rand.Rand) *site {
	s := &site{t: t, dir: dir, wanted: map[lines.Target]Want{}, before: map[string]string{}, after: map[string]string{}, kept: map[string]string{}}
	s.targets = New(&statedir.Dir{Path: filepath.Join(dir, "state")}, slog.New(slog.DiscardHandler))
	s.targets.made = map[lines.Target]Dest{}
	s.write("state/live/old", "old")
	s.write("state/live/new", "new")
	s.mkdir("state/live/dir")
	for i := range 1 + r.IntN(5) {
		target := filepath.Join(dir, "etc", fmt.Sprintf("sub%d", r.IntN(2)), fmt.Sprintf("t%d", i))
		s.stand(target, r.IntN(7), r)
		s.before[target] = s.read(target)
		s.decide(target, r)
	}
	return s
}

// stand puts something at a target.
func (s *site) stand(target string, what int, r *rand.Rand) {
	rel, _ := filepath.Rel(s.dir, target)
	switch what {
	case 0: // nothing
		return
	case 1:
		s.write(rel, "foreign "+rel)
		s.kept[target] = "foreign " + rel
	case 2:
		s.write(rel+".to", "linked "+rel)
		s.link(target+".to", target)
		s.kept[target] = "linked " + rel
	case 3, 4, 5: // confit's own link, with or without something kept
		s.mkdir(filepath.Dir(rel))
		dest := filepath.Join(s.targets.state.Path, "live", []string{"old", "new"}[r.IntN(2)])
		s.link(dest, target)
		s.targets.made[lines.Target(target)] = Dest(dest)
		if what == 4 {
			s.write(relOf(s.dir, keptFor(lines.Target(target))), "kept "+rel)
			s.kept[target] = "kept " + rel
		}
	case 6:
		s.mkdir(rel)
		s.kept[target] = "(directory)"
	}
}

// decide draws what is wanted of a target.
func (s *site) decide(target string, r *rand.Rand) {
	_, made := s.targets.made[lines.Target(target)]
	switch r.IntN(3) {
	case 0: // nothing: what confit made goes
		s.after[target] = s.before[target]
		if made {
			s.after[target] = absent
			if kept, ok := s.kept[target]; ok {
				s.after[target] = kept
			}
		}
	default:
		name := []string{"old", "new"}[r.IntN(2)]
		w := Want{Dest: Dest(filepath.Join(s.targets.state.Path, "live", name))}
		s.after[target] = name
		if s.before[target] == "(directory)" { // refused by name for a link to a key
			w = Want{Dest: Dest(filepath.Join(s.targets.state.Path, "live/dir")), Dir: true}
			s.after[target] = "(directory)"
		}
		s.wanted[lines.Target(target)] = w
	}
}

func (s *site) write(rel, content string) {
	s.mkdir(filepath.Dir(rel))
	if err := os.WriteFile(filepath.Join(s.dir, rel), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) mkdir(rel string) {
	if err := os.MkdirAll(filepath.Join(s.dir, rel), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) link(to, at string) {
	if err := os.Symlink(to, at); err != nil {
		s.t.Fatal(err)
	}
}

func relOf(dir, path string) string {
	rel, _ := filepath.Rel(dir, path)
	return rel
}

// read is what an app would find at a path.
func (s *site) read(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return absent
	}
	if info.IsDir() {
		return "(directory)"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// apply carries out the plan, one step at a time: after each, every target is
// whole, old or new, and never absent unless it was or will be.
func (s *site) apply() {
	p := s.targets.Plan(s.wanted)
	if err := p.Err(); err != nil {
		s.t.Fatal(err)
	}
	steps := p.steps()
	for i, step := range steps {
		if err := s.targets.do(step); err != nil {
			s.t.Fatalf("step %d, %+v: %v", i, step, err)
		}
		for target := range s.before {
			if now := s.read(target); now != s.before[target] && now != s.after[target] {
				s.t.Fatalf("after step %d of %+v\ntarget %q reads %q, neither %q nor %q", i, steps, target, now, s.before[target], s.after[target])
			}
		}
	}
	for _, step := range steps {
		if step.Dest == "" {
			delete(s.targets.made, step.Target)
		} else {
			s.targets.made[step.Target] = step.Dest
		}
	}
}

// check holds what is true in the end: all is as wanted, planning again finds
// nothing to do, and what confit didn't make is there.
func (s *site) check() {
	for target, want := range s.after {
		if got := s.read(target); got != want {
			s.t.Errorf("target %q reads %q, want %q", target, got, want)
		}
	}
	again := s.targets.Plan(s.wanted)
	if err := again.Err(); err != nil || len(again.steps()) > 0 {
		s.t.Errorf("planning again: %+v, %v", again, err)
	}
	for target, content := range s.kept {
		if s.read(target) != content && s.read(keptFor(lines.Target(target))) != content {
			s.t.Errorf("what stood at %q is lost: %q, kept %q", target, s.read(target), s.read(keptFor(lines.Target(target))))
		}
	}
}

// undo wants nothing any more: everything is as it was before confit came.
func (s *site) undo() {
	for target := range s.before {
		s.before[target], s.after[target] = s.read(target), s.read(target)
		if _, made := s.targets.made[lines.Target(target)]; made {
			s.after[target] = absent
			if kept, ok := s.kept[target]; ok {
				s.after[target] = kept
			}
		}
	}
	s.wanted = nil
	s.apply()
	s.check()
	left, _ := filepath.Glob(filepath.Join(s.dir, "etc/*", ".confit-*"))
	if len(left) > 0 {
		s.t.Errorf("left behind: %v", left)
	}
}

func trySite(t testing.TB, dir string, seed uint64) {
	s := newSite(t, dir, rand.New(rand.NewPCG(seed, 2)))
	s.apply()
	s.check()
	s.undo()
}

func TestPlanKeepsTargetsWhole(t *testing.T) {
	for seed := range uint64(400) {
		dir := t.TempDir()
		trySite(t, dir, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { trySite(t, t.TempDir(), seed) })
}

func TestPlanRefusesByName(t *testing.T) {
	for want, p := range map[string]place{
		"a mount point":            {standing: immovable, what: "a mount point"},
		"a directory":              {standing: emptyDir},
		"a device, socket or FIFO": {standing: immovable, what: "a device, socket or FIFO"},
	} {
		s, err := plan("/a", Want{Dest: "/s/live/a"}, p)
		want = `cannot link target "/a": ` + want + ` is there; write another target, or remove it from the image or the pod`
		if s.verb != none || err == nil || err.Error() != want {
			t.Errorf("step %+v, error\n%v\nwant\n%s", s, err, want)
		}
	}
}

// TestPlanRefusesAllAtOnce: each target that can't be linked is named, and the others are planned.
func TestPlanRefusesAllAtOnce(t *testing.T) {
	m := newMoment(t, t.TempDir())
	m.put(filepath.Join(m.dir, "etc/b/x"), "image")
	m.put(filepath.Join(m.dir, "etc/c/x"), "image")
	wanted := map[lines.Target]Want{}
	for _, name := range []string{"a", "b", "c"} {
		wanted[lines.Target(filepath.Join(m.dir, "etc", name))] = Want{Dest: Dest(m.dest)}
	}
	p := m.targets.Plan(wanted)
	if err := p.Err(); err == nil || strings.Count(err.Error(), "cannot link target") != 2 {
		t.Errorf("error %v, want one that names b and c", err)
	}
	if len(p.Links) != 1 || string(p.Links[0].Target) != m.target || p.Links[0].Dest != Dest(m.dest) {
		t.Errorf("planned %+v, want a link at %s alone", p.Links, m.target)
	}
}

// keptFor is where a covered file is kept.
func keptFor(target lines.Target) string {
	return filepath.Join(filepath.Dir(string(target)), files.Sibling(filepath.Base(string(target)), files.KeptPrefix))
}

// TestPruneUnseen: a target that the system keeps from being looked at isn't left alone, nor forgotten: something may be kept there.
func TestPruneUnseen(t *testing.T) {
	m := newMoment(t, t.TempDir())
	target := lines.Target(filepath.Join(m.dir, strings.Repeat("x", 300), "a"))
	m.targets.made[target] = Dest(m.dest)
	if err := m.targets.Plan(nil).Err(); err == nil || !strings.Contains(err.Error(), "cannot prune target") {
		t.Errorf("it says %v", err)
	}
	top, err := safedir.At(filepath.Join(m.dir, "state"))
	m.must(err)
	defer top.Close()
	m.targets.state.Top = top
	m.targets.Switch(0, nil, false)
	if m.targets.made[target] == "" {
		t.Error("it is forgotten")
	}
}

// TestSweepBaked: what a killed --bake, or a touch of what was baked, left goes, although no list has the target.
func TestSweepBaked(t *testing.T) {
	m := newMoment(t, t.TempDir())
	left := filepath.Join(m.dir, "etc", files.TmpPrefix+"1")
	m.must(os.Symlink(m.dest, left))
	m.targets.Sweep([]*lines.Line{{Link: lines.Link{Target: lines.Target(m.target)}}})
	if _, err := os.Lstat(left); err == nil {
		t.Error("it stays")
	}
}
