package confit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// confit is killed before each of the system calls that stage, render, publish and accept an edit of files and environment. What the
// next confit starts is whole, and the edit is in force in the end.
func crashInSource(t *testing.T, stride int) {
	w := newWitness(t)
	w.flag("--rescan", "300ms") // what confit was killed with is tried at the next look
	w.edit("0" + good)
	c := w.recover("0" + good)
	for n, step := range steps(stride) {
		text := fmt.Sprint(n) + good
		result := c.KillAt(step)
		w.edit(text)
		harness.Eventually(t, "end of the edit or of confit", func() bool { return !c.Alive() || w.met("alive", text) && w.holds(text) })
		if c.Alive() {
			c.Kill()
			t.Logf("killed %d times within %d steps; %s", n-1, step-1, result())
			return
		}
		result()
		c.wantKilled()
		w.wantWholeFiles()
		c = w.recover(text)
	}
	t.Errorf("an edit never came to its end within %d steps", maxSteps)
}

// recover starts a confit on what a killed one left. It ends on what is mounted.
func (w *witness) recover(text string) *confit {
	w.t.Helper()
	c := w.start(w.app()...)
	c.Eventually(text+" being in force", func() bool { return w.met("alive", text) && w.holds(text) })
	c.wantWholeTexts()
	return c
}

// wantWholeFiles checks what a killed confit has left.
func (w *witness) wantWholeFiles() {
	w.t.Helper()
	if texts, err := w.readLive(); err != nil || same(texts) == "" {
		w.t.Errorf("the live generation holds %q (%v)", texts, err)
	}
}

// confit is killed while a hook of it hangs, once or twice, and then the hook goes on. The app ends on the edit when that is good and killed
// confit once, else on what was accepted, with the files and the environment of that.
func TestSource_killed_in_a_phase(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		phase string
		kills int
		edit  string
		want  string
	}{
		{"render", 1, "1" + good, "1" + good},
		{"render", 2, "1" + good, "0" + good},
		{"render", 1, "1" + unrendered, "0" + good},
		{"validate", 1, "1" + good, "1" + good},
		{"validate", 2, "1" + good, "0" + good},
		{"validate", 1, "1" + refused, "0" + good},
		{"verify", 1, "1" + good, "1" + good},
		{"verify", 2, "1" + good, "0" + good}, // the edit is to blame
	} {
		t.Run(fmt.Sprintf("%s_%d_times_%s", test.phase, test.kills, test.edit), func(t *testing.T) {
			t.Parallel()
			w := newWitness(t)
			w.flag("--rescan", "300ms")
			w.hangs(test.phase)
			w.edit("0" + good)
			c := w.recover("0" + good)
			w.write(w.path("hang"), "")
			w.edit(test.edit)
			for kill := 1; ; kill++ {
				c.find("sh " + w.path("hanging"))
				c.recorded(map[string]string{"render": `"hooks"`, "validate": `"hooks"`, "verify": `"publish"`}[test.phase], fmt.Sprintf(`"kills":%d`, kill))
				c.Kill()
				w.wantWholeFiles()
				if kill == test.kills {
					break
				}
				c = w.start(w.app()...)
			}
			if err := errors.Join(os.Remove(w.path("hang")), os.Remove(w.path("fate/alive"))); err != nil {
				t.Fatal(err)
			}
			c = w.start(w.app()...)
			c.Eventually(test.want+" being in force", func() bool { return w.met("alive", test.want) && w.holds(test.want) })
			c.wantWholeTexts()
		})
	}
}

// hangs makes a hook wait for as long as the file hang is there.
func (w *witness) hangs(hook string) {
	for i, line := range w.lines {
		if name, command, _ := strings.Cut(line, " "); name == hook {
			script := w.write(w.path("hanging"), fmt.Sprintf("while test -e %s; do sleep 0.01; done\nexec %s\n", w.path("hang"), command))
			w.lines[i] = name + " sh " + script + " {candidate}"
		}
	}
}
