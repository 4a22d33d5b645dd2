//go:build conformance

package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// program is an init, and how its options are called.
type program struct {
	name    string
	path    string
	options map[option][]string
}

// option is something that an init can be told; one that it lacks isn't in its map.
type option string

const (
	group   option = "group"   // signals go to the app's process group
	single  option = "single"  // signals go to the app alone
	rewrite option = "rewrite" // USR1 becomes USR2
	drop    option = "drop"    // HUP is dropped
	verbose option = "verbose" // it says what it does
	hurry   option = "hurry"   // leftovers that don't end aren't waited for long
)

// programsUnderTest are in the order of the table's columns.
func programsUnderTest() []program {
	return []program{
		{"confit", programs.confit, map[option][]string{
			group: {"--signal-group"}, single: nil, rewrite: {"--map-signal", "USR1:USR2"}, drop: {"--map-signal", "HUP:"},
			verbose: {"--log-level", "debug"}, hurry: {"--drain-timeout", "300ms"}}},
		{"tini", "/usr/bin/tini", map[option][]string{
			group: {"-g"}, single: nil, verbose: {"-vvv"}, hurry: nil}},
		{"dumb-init", "/usr/bin/dumb-init", map[option][]string{
			group: nil, single: {"-c"}, rewrite: {"-r", "10:12"}, drop: {"-r", "1:0"}, verbose: {"-v"}, hurry: nil}},
		{"catatonit", "/usr/bin/catatonit", map[option][]string{
			group: {"-g"}, single: nil, verbose: nil, hurry: nil}},
	}
}

// commandLine is the init's own part of a command line. Confit gets nothing to link, and a state directory of its own: two
// may not share one.
func (p program) commandLine(t *testing.T, user int, options []option) []string {
	argv := []string{p.path}
	if p.name == "confit" {
		dir := publicDir(t)
		state, links := filepath.Join(dir, "state"), filepath.Join(dir, "links")
		mustDo(t, os.Mkdir(state, 0o755), os.Chown(state, user, user), os.WriteFile(links, nil, 0o644))
		argv = append(argv, "--links", links, "--volumes", dir, "--state", state)
	}
	for _, o := range options {
		argv = append(argv, p.options[o]...)
	}
	return argv
}

// publicDir makes a directory that every user may enter.
func publicDir(t *testing.T) string {
	dir := t.TempDir()
	mustDo(t, os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755))
	return dir
}

// lacks reports whether the init has no such option.
func (p program) lacks(options []option) bool {
	return slices.ContainsFunc(options, func(o option) bool {
		_, known := p.options[o]
		return !known
	})
}

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
