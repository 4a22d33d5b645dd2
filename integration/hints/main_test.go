// Package hints does what each message of confit says is to be done, literally, and holds that the message is gone then.
//
// It runs the real confit, as PID 1 of a fresh PID namespace. Each message of docs/internals/messages.txt that says what to write is in a
// table, or has a reason why not.
//
//	main_test.go      the program, and a run of it
//	hints_test.go     does each row of the tables, and looks for messages that no row has
//	lines_test.go     rows about lines of a links file
//	flags_test.go     rows about flags and settings
//	sources_test.go   rows about sources, targets and volumes
//	more_test.go      rows that say something else than to write, and those about edits
//	starts_test.go    rows about what an app does
//	reasons_test.go   what has no row, and why
package hints

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

var program string

func TestMain(m *testing.M) {
	harness.Main(m, nil, func(dir string) error {
		program = filepath.Join(dir, "confit")
		return harness.BuildConfit(program)
	})
}

// run is one of confit. HERE is its directory, which has the volume web below volumes, and a directory etc. Without app, alone and then it
// is a --check.
type run struct {
	lines   string   // of the links file; "": a link of web/a
	args    []string // beside those that every run has
	environ []string
	stdin   string
	files   map[string]string // to be there, by path
	dirs    []string
	alone   bool                         // the arguments say what is to be done
	before  []string                     // what becomes confit, in its directory
	app     []string                     // is started
	then    func(dir string, r *ongoing) // what happens beside the app
	until   string                       // what is said at the end of a run with an app; "": the run ends by itself
	code    int                          // of a run that ends by itself
}

// ongoing is a run that has been started.
type ongoing struct {
	*harness.Run
	t *testing.T
}

// says waits for a text.
func (r *ongoing) says(text string) {
	r.t.Helper()
	r.Eventually(text, func() bool { return r.Contains(text) })
}

// onDisk is a directory that no file system in memory has.
const onDisk = "/.hints-on-disk"

// files are those of every run.
var files = map[string]string{
	"volumes/web/a": "x", "volumes/web/b": "x", "volumes/web/LEVEL": "debug", "volumes/web/sub/k": "x", "volumes/web/sub/l": "x", "abs/a": "x",
	"fallback/web/a": "x",
}

// do runs confit, and returns what it says. A run that ends by itself ends with the code of the row, unless any will do.
func (c run) do(t *testing.T, anyCode bool) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{filepath.Dir(dir), dir} { // another user enters it, too
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	here := func(text string) string { return strings.ReplaceAll(text, "HERE", dir) }
	for _, list := range []map[string]string{files, c.files, {"links": here(c.lines + "\n")}} {
		for path, text := range list {
			write(t, filepath.Join(dir, path), text)
		}
	}
	for _, path := range append(c.dirs, "etc") {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if c.lines == "" {
		write(t, filepath.Join(dir, "links"), here("link web/a HERE/etc/a\n"))
	}
	args := []string{program, "--links", "HERE/links", "--volumes", "HERE/volumes", "--state", "HERE/state"}
	if !c.alone && c.app == nil {
		args = slices.Insert(args, 1, "--check")
	}
	if args = append(args, c.args...); c.app != nil {
		args = append(append(args, "--"), c.app...)
	}
	for i := range args {
		args[i] = here(args[i])
	}
	t.Cleanup(func() { os.RemoveAll(onDisk) })
	r := &ongoing{harness.Start(t, harness.Command{
		Argv: append(slices.Clone(c.before), args...), Env: append([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, c.environ...), Dir: dir, Stdin: strings.NewReader(c.stdin),
		Bare: c.app == nil && !c.alone, // it is quick, and --check starts nothing
	}), t}
	if c.then != nil {
		c.then(dir, r)
	}
	if c.until != "" {
		r.says(c.until)
		return r.String()
	}
	harness.Eventually(t, "the end", func() bool { return !r.Alive() })
	if code := r.State().ExitCode(); code != c.code && !anyCode {
		t.Errorf("it ends with %d, not %d:\n%s", code, c.code, &r.Transcript)
	}
	return r.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := harness.WriteProgram(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}
