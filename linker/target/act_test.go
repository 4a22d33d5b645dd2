package target

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/statedir"
)

// moment is one target between the planning of a step and its act.
type moment struct {
	t       *testing.T
	targets *Set
	log     bytes.Buffer
	dir     string
	target  string
	dest    string // of confit's link there, or to be
}

func newMoment(t *testing.T, dir string) *moment {
	m := &moment{t: t, dir: dir, target: filepath.Join(dir, "etc/a"), dest: filepath.Join(dir, "state/live/web/a")}
	m.targets = New(&statedir.Dir{Path: filepath.Join(dir, "state")}, slog.New(slog.NewTextHandler(&m.log, nil)))
	m.targets.made = map[lines.Target]Dest{}
	m.put(m.dest, "key")
	m.put(filepath.Join(dir, "state/live/web/old"), "old key")
	m.must(os.Mkdir(filepath.Join(dir, "etc"), 0o755))
	return m
}

func (m *moment) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// put writes a file as an editor does: aside, then by rename over what is there.
func (m *moment) put(path, content string) {
	m.t.Helper()
	tmp := filepath.Join(m.dir, "new")
	m.must(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(tmp, []byte(content), 0o644), os.Rename(tmp, path)))
}

// linked makes confit's link at the target.
func (m *moment) linked(dest string) {
	m.t.Helper()
	m.must(os.Symlink(dest, m.target))
	m.targets.made[lines.Target(m.target)] = Dest(dest)
}

// plan is the one step that is to be done.
func (m *moment) plan(wanted bool, verb verb) Step {
	m.t.Helper()
	targets := map[lines.Target]Want{}
	if wanted {
		targets[lines.Target(m.target)] = Want{Dest: Dest(m.dest)}
	}
	p := m.targets.Plan(targets)
	m.must(p.Err())
	steps := p.steps()
	if len(steps) != 1 || steps[0].verb != verb {
		m.t.Fatalf("planned %+v, want verb %d", steps, verb)
	}
	return steps[0]
}

// steps are those that do something.
func (p *Plan) steps() []Step {
	return slices.DeleteFunc(slices.Concat(p.prunes, p.Links), func(s Step) bool { return s.verb == none })
}

// do prepares a step and carries it out.
func (t *Set) do(s Step) error {
	err := t.prepare(&s)
	if err == nil {
		err = t.work(&s, act.act)
	}
	t.unprepare([]Step{s})
	return err
}

// holds checks all that is in the target's directory: NAME, CONTENT, ….
func (m *moment) holds(nameContent ...string) {
	m.t.Helper()
	var want, got []string
	for i := 0; i+1 < len(nameContent); i += 2 {
		want = append(want, nameContent[i]+"="+nameContent[i+1])
	}
	entries, err := os.ReadDir(filepath.Dir(m.target))
	m.must(err)
	for _, e := range entries {
		got = append(got, e.Name()+"="+m.content(filepath.Join(filepath.Dir(m.target), e.Name())))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		m.t.Errorf("there is %q, want %q", got, want)
	}
}

func (m *moment) content(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "(directory)"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// TestStepFindsSomethingElse: what was put at a target between plan and act is
// not destroyed, whatever the step. A step that makes a link fails by name.
func TestStepFindsSomethingElse(t *testing.T) {
	image := func(m *moment) { m.put(m.target, "image") }
	ours := func(m *moment) { m.linked(filepath.Join(m.dir, "state/live/web/old")) }
	covered := func(m *moment) { ours(m); m.put(keptFor(lines.Target(m.target)), "image") }
	written := func(m *moment) { m.put(m.target, "app") }
	full := func(m *moment) { m.must(os.Remove(m.target)); m.put(filepath.Join(m.target, "x"), "app") }
	wanted := func(m *moment) { _ = os.Remove(m.target); m.must(os.Symlink(m.dest, m.target)) }
	for name, tt := range map[string]struct {
		before    func(*moment)
		wanted    bool
		verb      verb
		meanwhile func(*moment)
		words     string // of the error
		holds     []string
	}{
		"link then nothing then a file": {func(*moment) {}, true, link, written, "by now there is a regular file", []string{"a", "app"}},
		"link then a FIFO":              {func(*moment) {}, true, link, func(m *moment) { m.must(unix.Mkfifo(m.target, 0o600)) }, "by now there is a device, socket or FIFO", nil},
		"link then nothing then wanted": {func(*moment) {}, true, link, wanted, "", []string{"a", "key"}},
		"link then as wanted":           {ours, true, link, wanted, "", []string{"a", "key"}},
		"cover then as wanted":          {image, true, cover, wanted, "", []string{"a", "key"}},
		"link then removed":             {ours, true, link, func(m *moment) { m.must(os.Remove(m.target)) }, "", []string{"a", "key"}},
		"link then ours then a file":    {ours, true, link, written, "by now there is a regular file", []string{"a", "app"}},
		"link then ours then full":      {ours, true, link, full, "by now there is a directory that isn't empty", []string{"a", "(directory)"}},
		"cover then another file":       {image, true, cover, written, "", []string{files.KeptPrefix + "a", "app", "a", "key"}},
		"cover then full":               {image, true, cover, full, "by now there is a directory that isn't empty", []string{"a", "(directory)"}},
		"reclaim then another file":     {func(m *moment) { image(m); m.targets.linked[lines.Target(m.target)] = true }, true, reclaim, written, "", []string{files.ReplacedPrefix + "a", "app", "a", "key"}},
		"reclaim then full":             {func(m *moment) { image(m); m.targets.linked[lines.Target(m.target)] = true }, true, reclaim, full, "by now there is a directory that isn't empty", []string{"a", "(directory)"}},
		"uncover then a file":           {covered, false, uncover, written, "by now there is a regular file", []string{files.KeptPrefix + "a", "image", "a", "app"}},
		"uncover then full":             {covered, false, uncover, full, "by now there is a directory that isn't empty", []string{files.KeptPrefix + "a", "image", "a", "(directory)"}},
		"uncover then nothing":          {covered, false, uncover, func(m *moment) { m.must(os.Remove(m.target)) }, "", []string{"a", "image"}},
		"remove then a file":            {ours, false, remove, written, "by now there is a regular file", []string{"a", "app"}},
		"remove then another link":      {ours, false, remove, func(m *moment) { m.must(errors.Join(os.Remove(m.target), os.Symlink("state", m.target))) }, "by now there is a symlink", nil},
		"remove then nothing":           {ours, false, remove, func(m *moment) { m.must(os.Remove(m.target)) }, "", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			testfs.Everywhere(t, func(t *testing.T, dir string, seal func()) {
				m := newMoment(t, dir)
				tt.before(m)
				seal()
				s := m.plan(tt.wanted, tt.verb)
				tt.meanwhile(m)
				err := m.targets.do(s)
				if (err == nil) != (tt.words == "") || (err != nil && !strings.Contains(err.Error(), fmt.Sprintf("target %q: %s", m.target, tt.words))) {
					t.Errorf("error %v, want words %q", err, tt.words)
				}
				if tt.holds != nil {
					m.holds(tt.holds...)
				}
			})
		})
	}
}

// TestWriterNeverLoses lets an app replace a target at full speed while links
// are made and pruned: what it wrote last is at the target, or beside it.
func TestWriterNeverLoses(t *testing.T) {
	atFullSpeed := func(t *testing.T, dir string, seal func()) {
		m := newMoment(t, dir)
		m.put(m.target, "image")
		seal()
		stop, last := make(chan struct{}), make(chan string)
		go func() {
			for n := 0; ; n++ {
				text := fmt.Sprint("app", n)
				tmp := filepath.Join(dir, "etc", "tmp")
				_ = os.WriteFile(tmp, []byte(text), 0o644)
				_ = os.Rename(tmp, m.target)
				select {
				case <-stop:
					last <- text
					return
				default:
				}
			}
		}()
		for n := range 2000 {
			wanted := map[lines.Target]Want{}
			if n%2 == 0 {
				wanted[lines.Target(m.target)] = Want{Dest: Dest(m.dest)}
			}
			p := m.targets.Plan(wanted)
			m.must(p.Err())
			for _, s := range p.steps() {
				if m.targets.do(s) == nil && s.Dest != "" {
					m.targets.made[lines.Target(m.target)], m.targets.linked[lines.Target(m.target)] = s.Dest, true
				}
			}
		}
		close(stop)
		text := <-last
		entries, err := os.ReadDir(filepath.Dir(m.target))
		m.must(err)
		for _, e := range entries {
			if m.content(filepath.Join(filepath.Dir(m.target), e.Name())) == text {
				return
			}
		}
		t.Errorf("%q is lost; there is %v", text, entries)
	}
	// Where names can't be exchanged there is a window, as small as can be.
	for _, name := range []string{"as it is", "overlayfs"} {
		t.Run(name, func(t *testing.T) {
			testfs.All[name](t, func(dir string, seal func()) { atFullSpeed(t, dir, seal) })
		})
	}
}

// TestPlanKeepsTargetsWholeEverywhere is the walk over all kinds of targets,
// where names can't be exchanged.
func TestPlanKeepsTargetsWholeEverywhere(t *testing.T) {
	for seed := range uint64(60) {
		testfs.Refusing(t, unix.EINVAL, unix.SYS_RENAMEAT2, func() { trySite(t, t.TempDir(), seed) })
	}
}
