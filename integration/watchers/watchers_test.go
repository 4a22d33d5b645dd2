//go:build check

package watchers

import (
	"os"
	"testing"

	"confit/integration/internal/harness"
)

// verify refuses a configuration by its name, whatever the app makes of it.
const verify = `verify sh -c '! grep -q bad ` + configuration + `'`

const (
	started   = `msg="app started"`
	touched   = `msg="app reloaded" action=touch`
	restarted = `msg="app restarting"`
)

// newTouch is a site whose app has this long to open what has changed.
func newTouch(t *testing.T, probation string) *site {
	t.Helper()
	s := newSite(t, "reload touch", "probation "+probation, verify, "verify-timeout 5s")
	s.swap(named("first"))
	return s
}

// scenario has good edits and a bad one, and checks after each how often the app was started, and shown that something has changed.
func (c *confit) scenario(starts, touches [4]int) {
	c.t.Helper()
	for i, step := range [4]struct{ mounted, served, end string }{
		{"first", "first", `msg="generation accepted" generation=1 `},
		{"second", "second", `msg="generation accepted" generation=2 `},
		{"bad", "second", `msg="candidate rejected" step=verify`},
		{"fourth", "fourth", `msg="generation accepted" generation=4 `},
	} {
		if i > 0 {
			c.swap(named(step.mounted))
		}
		c.logs(1, step.end)
		c.logs(touches[i], touched)
		c.logs(starts[i], started)
		c.serves(step.served)
	}
}

// Who watches the directory of the configuration reads an edit by itself, once confit has touched it, and what is gone back to as
// well. Nobody is restarted.
func TestTouch(t *testing.T) {
	for _, app := range []service{viper, fsnotify, watchdog, chokidar} {
		t.Run(app.name, func(t *testing.T) {
			t.Parallel()
			c := newTouch(t, "15s").run(app) // far longer than it takes to open a file on a busy machine
			c.scenario([4]int{1, 1, 1, 1}, [4]int{0, 1, 3, 4})
			if read := c.read(); read == nil || !*read {
				t.Error("the status doesn't say that the app has read what changed")
			}
			c.logs(0, restarted)
		})
	}
}

// Where no link can be made the app is restarted instead, and a warning says what to do.
func TestTouch_read_only_root(t *testing.T) {
	for _, app := range []service{viper, fsnotify, watchdog, chokidar} {
		t.Run(app.name, func(t *testing.T) {
			t.Parallel()
			s := newTouch(t, "2s")
			must(t, os.Symlink("/run/confit/live/web/app.yaml", s.path("etc/app.yaml"))) // as --bake makes it
			s.mounts = append([]harness.Mount{harness.ReadOnly("/"), harness.ReadOnly("/srv")}, s.mounts...)
			c := s.run(app)
			c.scenario([4]int{1, 2, 4, 5}, [4]int{})
			c.logs(4, "level=WARN", `msg="targets not touched"`, "read-only file system", "emptyDir")
		})
	}
}

const notOpened = "it has not opened what changed within 2s"

// Who doesn't look is restarted when its time is over.
func TestTouch_nobody_looks(t *testing.T) {
	t.Parallel()
	c := newTouch(t, "2s").run(deaf)
	c.scenario([4]int{1, 2, 4, 5}, [4]int{0, 1, 3, 4})
	c.logs(4, restarted, notOpened)
}

// chokidar on the file, and not on its directory, watches the inode behind the link. That goes with its generation, which is long
// after an edit, but at once when the edit is taken back. So after that one nobody knows whether it is restarted.
func TestTouch_of_the_file(t *testing.T) {
	t.Parallel()
	s := newTouch(t, "2s")
	c := s.run(chokidarOfKey)
	c.serves("first")
	c.logs(1, `msg="generation accepted" generation=1 `)
	s.swap(named("second"))
	c.logs(1, restarted, notOpened)
	c.serves("second")
	c.logs(1, `msg="generation accepted" generation=2 `)
	s.swap(named("bad"))
	c.logs(1, `msg="candidate rejected" step=verify`)
	c.serves("second")
}
