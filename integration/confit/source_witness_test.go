package confit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A witness is an app that says at its start what it finds: a variable, a key of each of two volumes, and a rendered file. Every edit
// writes one text into all of them. So what the app, a hook or a reader finds is whole if the words are the same.
//
// An edit's text ends in what becomes of it.
const (
	good       = "-good"
	unrendered = "-unrendered" // the renderer fails
	refused    = "-refused"    // the validator does
	deadly     = "-deadly"     // the app dies of it
)

// newWitness is a setup whose app is a witness, and its two volumes. The renderer refuses what confit staged between the two swaps of an
// edit: such a state was mounted for a moment, and confit can't know that it isn't meant.
func newWitness(t *testing.T) *witness {
	t.Helper()
	s := newSetup(t)
	w := &witness{setup: s, web: s.volume("web"), db: s.volume("db")}
	s.line("link web/ %s", s.target("web"))
	s.line("link web/a %s", s.target("a"))
	s.line("link db/b %s", s.target("b"))
	s.line("link {rendered}/r %s", s.target("r"))
	s.line("env db/text TEXT")
	s.line("input web/template")
	s.line("reload restart")
	s.line("settle 50ms")
	s.mkdir("fate")
	w.hook("render", `[ "$a" = "$b" ] || exit 1
case $TEXT in *-unrendered) is unrendered; exit 1 ;; esac
echo "$TEXT" >"$CONFIT_RENDERED/r"`)
	w.hook("validate", `read r <"$CONFIT_CANDIDATE/.rendered/r"; whole
case $TEXT in *-refused) is refused; exit 1 ;; esac`)
	s.line("validate sh %s {candidate}", s.path("validate"))
	s.line("render sh %s", s.path("render"))
	s.line("verify sh -c 'until cmp -s %s %s; do sleep 0.01; done'", s.target("a"), s.path("fate/alive"))
	s.line("verify-timeout 1h")
	return w
}

type witness struct {
	*setup
	web, db *volume
}

// hook writes a script that has read the keys of the candidate.
func (w *witness) hook(name, script string) {
	w.t.Helper()
	w.write(w.path(name), w.shellParts()+`read a <"$CONFIT_CANDIDATE/web/a"; read b <"$CONFIT_CANDIDATE/db/b"; r=$TEXT
`+script+"\n")
}

// shellParts are what each of the scripts can do.
func (w *witness) shellParts() string {
	return fmt.Sprintf(`is() { echo "$TEXT" >%[1]s/new-$1; mv %[1]s/new-$1 %[1]s/$1; }
whole() { [ "$TEXT $TEXT $TEXT" = "$a $b $r" ] || echo "MIXED: $0 finds $TEXT $a $b $r"; }
`, w.path("fate"))
}

// app is the witness's command line.
func (w *witness) app() []string {
	script := w.shellParts() + fmt.Sprintf(`read a <%s; read b <%s; read r <%s; whole
echo "found $TEXT"
case $TEXT in *-deadly) is deadly; exit 3 ;; esac
is alive
exec sleep 7654321`, w.target("a"), w.target("b"), w.target("r"))
	return []string{"sh", "-c", script, "app"}
}

// edit swaps both volumes, both at once.
func (w *witness) edit(text string) {
	w.t.Helper()
	done := make(chan error)
	go func() { done <- w.db.write(map[string]file{"b": {text + "\n", 0o644}, "text": {text, 0o644}}) }()
	err := w.web.write(map[string]file{"a": {text + "\n", 0o644}, "z": {text + "\n", 0o644}, "template": {text, 0o644}})
	if other := <-done; err != nil || other != nil {
		w.t.Fatal(err, other)
	}
}

// met tells whether the last edit that met a fate was this one.
func (w *witness) met(fate, text string) bool {
	got, _ := os.ReadFile(w.path("fate", strings.TrimPrefix(fate, "-")))
	return strings.TrimSpace(string(got)) == text
}

// fateOf is where an edit's text says that it ends.
func fateOf(text string) string {
	for _, fate := range []string{unrendered, refused, deadly} {
		if strings.HasSuffix(text, fate) {
			return fate
		}
	}
	return "alive"
}

// meets waits until an edit has come to its end.
func (c *confit) meets(w *witness, text string) {
	c.t.Helper()
	c.Eventually("the fate of "+text, func() bool { return w.met(fateOf(text), text) })
}

// wantWholeTexts checks that nobody found a mix.
func (c *confit) wantWholeTexts() {
	c.t.Helper()
	if mixed := c.Lines("MIXED"); len(mixed) > 0 {
		c.t.Errorf("%d processes found a mix; the first: %s", len(mixed), mixed[0])
	}
}

// holds tells whether the live generation holds just one text, and it is accepted.
func (w *witness) holds(text string) bool {
	texts, err := w.readLive()
	live, _ := os.Readlink(filepath.Join(w.state, "live"))
	return err == nil && same(texts) == text && filepath.Base(live) == fmt.Sprint(w.stored().Number) && len(w.leftovers()) == 0
}

// readLive reads all of the live generation, whose directory is opened once.
func (w *witness) readLive() ([]string, error) {
	return readIn(filepath.Join(w.state, "live"), "web/a", "web/z", "db/b", "db/text", ".rendered/r")
}

// readWhole reads a volume through the link to all of it, which is opened once.
func (w *witness) readWhole() ([]string, error) { return readIn(w.target("web"), "a", "z") }

// readTargets reads one target after the other, as most apps do. It returns nothing when something was published meanwhile: that makes
// a new link.
func (w *witness) readTargets() (texts []string, err error) {
	before := w.published()
	for _, name := range []string{"a", "b", "r", "web/z"} {
		text, failed := os.ReadFile(w.target(name))
		err = errors.Join(err, failed)
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	if w.published() != before {
		return nil, nil
	}
	return texts, err
}

// published tells one publish from another.
func (w *witness) published() (st unix.Stat_t) {
	if err := unix.Lstat(filepath.Join(w.state, "live"), &st); err != nil {
		w.t.Errorf("cannot look at the live link: %v", err)
	}
	st.Atim = unix.Timespec{} // that somebody followed it
	return st
}

func readIn(dir string, names ...string) (texts []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, name := range names {
		text, err := root.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	return texts, nil
}

// same is the one text of all; "" when they differ.
func same(texts []string) string {
	for _, text := range texts {
		if text != texts[0] {
			return ""
		}
	}
	return strings.Join(texts[:min(len(texts), 1)], "")
}
