package linker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// passing are the errors of calls that may pass by themselves.
var passing = []syscall.Errno{unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ESTALE, unix.EINTR, unix.EAGAIN}

// For how long a call fails at a start.
const (
	once    = -1
	aWhile  = 3 * time.Second
	forEver = time.Hour
)

// shapes are ladders of the generations 1 to 3, which hold what they held when they were mounted, one after the other.
var shapes = map[string]func(g func(number int) Generation) Note{
	"one": func(g func(int) Generation) Note { return Note{Ladder: Ladder{}.Accept(g(3), true, false).Soak(true)} },
	"two": func(g func(int) Generation) Note {
		return Note{Ladder: Ladder{}.Accept(g(1), true, false).Soak(true).Accept(g(3), true, false), Entrypoint: 7}
	},
	"three": func(g func(int) Generation) Note {
		return Note{Ladder: Ladder{}.Accept(g(1), true, false).Accept(g(2), false, false).Soak(false).Accept(g(3), false, false), Outcomes: []Outcome{anOutcome}}
	},
	"died": func(g func(int) Generation) Note {
		n := Note{Ladder: Ladder{}.Accept(g(1), true, false).Soak(true).Accept(g(3), true, false)}
		n.Ladder.Top().Deaths = 1
		return n
	},
	"down": func(g func(int) Generation) Note {
		n := Note{Ladder: Ladder{}.Accept(g(1), true, false).Soak(true).Accept(g(3), true, false), Late: Late{Inputs: Hash{1}, At: 1, Wait: 3600}}
		n.Ladder.Top().Deaths, n.Ladder.On = 2, 1
		return n
	},
	"fallback": func(g func(int) Generation) Note {
		backup := g(1)
		backup.Fallback = true
		return Note{Ladder: Ladder{}.Accept(backup, true, false).Soak(true).Accept(g(2), true, false)}
	},
	"none": func(func(int) Generation) Note { return Note{Outcomes: []Outcome{anOutcome}} },
}

// unread is a fixture with one of the shapes, and what the next confit has to find.
type unread struct {
	*fixture
	want  *Former
	calls int // of a start
	runs  int // starts in which one failed
}

// newUnread builds it. A key of the newest generation is damaged, and mounted.
func newUnread(t *testing.T, shape string) *unread {
	t.Helper()
	u := &unread{fixture: newFixture(t, "web/a a", "web/sub/ sub/", "web/sub/ whole", "env web/level LEVEL")}
	generations := map[int]Generation{}
	for n, content := range []string{"one", "two", "three"} {
		u.write("web", "a", content, "sub/b", content, "level", content)
		if n == 0 {
			u.open()
		}
		u.seen = ""
		c, err := u.linker.Stage(Known{})
		u.must(err)
		u.must(u.linker.Publish(c.Number, false))
		generations[n+1] = c.Generation
	}
	u.must(u.linker.WriteNote(shapes[shape](func(n int) Generation { return generations[n] })))
	u.linker.RecordTrial(Trial{Hash: generations[3].Inputs, Step: StepPublish, Kills: 1, Suspects: "the app"})
	u.close()
	u.must(os.WriteFile(u.path("state/generations/3/web/sub/b"), []byte("damaged"), 0o444))
	u.must(copyTree(u.path("state"), u.path("saved")))
	u.calls = u.fails(0, unix.EIO, once)
	return u
}

// copyTree copies directories, files and links with their modes.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		made := to + strings.TrimPrefix(path, from)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Mkdir(made, info.Mode().Perm())
		case d.Type() == fs.ModeSymlink:
			dest, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(dest, made))
		}
		data, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(made, data, 0o600), os.Chmod(made, info.Mode().Perm()))
	})
}

// fails starts confit while the nth call fails for a time, and lets it work, and then another one, which has to find all. The first has to
// find it, too, if the time is over before the app would be started. It returns how many calls there were.
func (u *unread) fails(n int, errno syscall.Errno, lasts time.Duration) (seen int) {
	u.Helper()
	u.must(errors.Join(os.RemoveAll(u.path("state")), copyTree(u.path("saved"), u.path("state"))))
	config, fault := u.checked(), fault{errno: errno, lasts: lasts, at: n}
	var l *Linker
	var former *Former
	var err error
	config.Again = fault.again
	testfs.Failing(u, fault.decide(u.dir), func() { l, former, err = Open(config) })
	if err == nil {
		u.begins(l, former)
		u.livesAfter(&fault)
	} else if !errors.Is(err, errno) {
		u.Errorf("%s: %v", &fault, err)
	}
	u.ends()
	l, former, err = Open(config)
	u.must(err)
	u.begins(l, former)
	u.wants(former, "the next confit, after "+fault.String())
	u.ends()
	u.runs++
	return fault.seen
}

// ends closes all that the end of the process does.
func (u *unread) ends() {
	if u.linker != nil {
		u.linker.state.Close()
		u.close()
	}
}

// livesAfter is the life of a confit that has started.
func (u *unread) livesAfter(f *fault) {
	u.Helper()
	l, former := u.linker, u.former
	if u.want == nil {
		u.want = former
	}
	if former.Unread == nil {
		u.wants(former, "after "+f.String())
		u.must(l.WriteNote(former.Note))
		l.Collect(l.Newest(), former.Ladder.Numbers()...)
		return
	}
	if f.lasts != forEver || !errors.Is(former.Unread, f.errno) {
		u.Errorf("%s: %v", f, former.Unread)
	}
	c, err := l.Stage(Known{})
	u.must(err)
	u.must(l.Publish(c.Number, true))
	u.reads("a", "three", "sub/b", "three")
	if err := l.WriteNote(Note{}); err == nil {
		u.Errorf("%s: a note was written", f)
	}
	l.RecordTrial(Trial{Hash: c.Inputs, Step: StepHooks, Kills: 1})
	l.RecordTrial(Trial{})
	l.Collect(l.Newest(), c.Number)
}

// wants checks that all was found.
func (u *unread) wants(got *Former, when string) {
	u.Helper()
	for _, f := range []*Former{got, u.want} {
		for i := range f.Ladder.Rungs {
			f.Ladder.Rungs[i].Sums, f.Ladder.Rungs[i].Env = nil, nil
		}
	}
	if !reflect.DeepEqual(got, u.want) {
		u.Errorf("%s: found %v (%v), want %v", when, got.Ladder.Numbers(), got.Untrusted, u.want.Ladder.Numbers())
	}
}

// TestUnread: whichever call fails at a start, and for how long, nothing is lost of what was accepted. Each twentieth call is tried here.
func TestUnread(t *testing.T) {
	for shape := range shapes {
		t.Run(shape, func(t *testing.T) {
			u := newUnread(t, shape)
			for n := len(shape); n <= u.calls; n += 20 {
				u.fails(n, passing[n%len(passing)], []time.Duration{once, aWhile, forEver}[n%3])
			}
			t.Logf("%d calls, %d starts", u.calls, u.runs)
		})
	}
}
