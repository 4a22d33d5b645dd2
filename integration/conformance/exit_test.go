//go:build conformance

package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"confit/integration/internal/harness"
)

var exits = []behaviour{
	{name: "exit code of the app", try: exitCodes,
		does: "an app exits with each code from 0 to 255; the init must exit with the same"},
	{name: "128+n for an app that a signal ended", try: deaths,
		does: "an app sends itself each signal that ends a process, RTMIN and RTMAX included"},
	{name: "127: no such program", try: notFound,
		does: "a name that isn't in PATH and a path that isn't there; standard error must name it"},
	{name: "126: not executable", try: notExecutable,
		does: "a file without x and a directory; standard error must name it"},
	{name: "arguments of the app are left alone", try: arguments,
		does: "after `--` and a program: `-h`, `--version`, a second `--`, an empty word"},
	{name: "options end at the app's name", try: withoutDashes,
		does: "the same without `--` before the program"},
	{name: "a program may be named like an option", try: namedLikeOption,
		does: "`-- -prog` with a program `-prog` in PATH"},
	{name: "standard input and output are the app's", try: standardStreams,
		does: "a script on the standard input of `sh`; on standard output is what the app wrote and nothing else, however talkative the init is told to be"},
	{name: "an init that is nobody", try: asNobody,
		does: "as user nobody: orphans are reaped, HUP reaches the app, and its code 9 comes through"},
}

func exitCodes(s subject) error {
	for code := range 256 {
		p := s.start(setup{Command: harness.Command{Bare: true}}, "sh", "-c", "exit "+strconv.Itoa(code))
		if err := p.exits(code); err != nil {
			return err
		}
	}
	return nil
}

func deaths(s subject) error {
	// Shells report n in ways of their own when a signal ends them: perl asks the kernel.
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30, 31, 34, 64} {
		p := s.start(setup{Command: harness.Command{Bare: true}}, "perl", "-e", fmt.Sprintf("$SIG{FPE}='DEFAULT'; kill %d, $$; select undef, undef, undef, 5", n))
		if err := p.exits(128 + n); err != nil {
			return err
		}
	}
	return nil
}

func notFound(s subject) error { return refuses(s, 127, "no-such-program", "/no/such/program") }

func notExecutable(s subject) error {
	file := filepath.Join(s.t.TempDir(), "plain")
	mustDo(s.t, os.WriteFile(file, nil, 0o644))
	return refuses(s, 126, file, "/etc")
}

func refuses(s subject, code int, apps ...string) error {
	for _, app := range apps {
		p := s.start(setup{}, app)
		if err := p.exits(code); err != nil {
			return err
		}
		if !strings.Contains(p.Text("stderr"), app) {
			return errors.New("standard error does not name the program")
		}
	}
	return nil
}

var flagLike = []string{"-h", "--version", "--", "", "-g", "--links"}

func arguments(s subject) error {
	return prints(s, setup{}, strings.Join(flagLike, "\n")+"\n", append([]string{"perl", "-e", `print "$_\n" for @ARGV`, "--"}, flagLike...)...)
}

func withoutDashes(s subject) error {
	return prints(s, setup{raw: []string{"printf", `%s\n`}}, strings.Join(flagLike, "\n")+"\n", flagLike...)
}

func namedLikeOption(s subject) error {
	dir := s.t.TempDir()
	mustDo(s.t, os.WriteFile(filepath.Join(dir, "-prog"), []byte("#!/bin/sh\necho ran\n"), 0o755))
	return prints(s, setup{Command: harness.Command{Env: []string{"PATH=" + dir}}}, "ran\n", "-prog")
}

// prints runs an app that must write just this, and exit with 0.
func prints(s subject, how setup, text string, app ...string) error {
	p := s.start(how, app...)
	if err := p.exits(0); err != nil {
		return err
	}
	if p.Text("stdout") != text {
		s.t.Logf("standard output is %q, want %q", p.Text("stdout"), text)
		return errors.New("the app wrote something else")
	}
	return nil
}

func standardStreams(s subject) error {
	p := s.start(setup{Command: harness.Command{Stdin: strings.NewReader("echo first; cat; exit 7\nsecond\n")}, options: []option{verbose}}, "sh", "-c", "read script; eval \"$script\"")
	if err := p.exits(7); err != nil {
		return err
	}
	if p.Text("stdout") != "first\nsecond\n" {
		return errors.New("standard output is not the app's alone")
	}
	return nil
}

func asNobody(s subject) error {
	const script = `for i in 1 2 3; do (sh -c 'echo orphan' &); done; trap 'echo hup; exit 9' HUP; echo ready; while :; do sleep 0.02; done`
	p := s.start(in(harness.Box{UID: nobody}), "sh", "-c", script)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	err := p.Until("the orphans are reaped", func() bool {
		return p.count("orphan") == 3 && !p.anyIs("Z")
	})
	if err != nil {
		return err
	}
	p.send(syscall.SIGHUP)
	return p.exits(9)
}
