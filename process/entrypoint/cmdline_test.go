package entrypoint

import (
	"slices"
	"strings"
	"testing"
)

// TestParse finds the script or the text of -c in a shell's words.
func TestParse(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]cmdline{
		"":                    {},
		"f":                   {file: "f"},
		"f a b":               {file: "f", args: []string{"a", "b"}},
		"f -c b":              {file: "f", args: []string{"-c", "b"}},
		"-e f a":              {file: "f", args: []string{"a"}},
		"-euo pipefail f":     {file: "f"},
		"-o errexit -x f a":   {file: "f", args: []string{"a"}},
		"+o errexit f":        {file: "f"},
		"-O extglob f":        {file: "f"},
		"+O extglob f":        {file: "f"},
		"-oO posix dotglob f": {file: "f"},
		"--rcfile r f":        {file: "f"},
		"--init-file r -e f":  {file: "f"},
		"--norc --login f":    {file: "f"},
		"-- -f":               {file: "-f"},
		"- f a":               {file: "f", args: []string{"a"}},
		"- -e":                {file: "-e"},
		"-e - f":              {file: "f"},
		"-c t":                {text: "t"},
		"-c t zero":           {text: "t", args: []string{}},
		"-c t zero a b":       {text: "t", args: []string{"a", "b"}},
		"-lc t":               {text: "t"},
		"-ec t":               {text: "t"},
		"-c -e -- t":          {text: "t"},
		"-euxo pipefail -c t": {text: "t"},
		"-euo pipefail":       {},
		"-s a b":              {},
		"-i":                  {},
		"-il":                 {},
		"-c":                  {},
		"-o":                  {},
		"+c f":                {file: "f"},
		"+":                   {},
	} {
		got := parse(strings.Fields(words))
		if got.file != want.file || got.text != want.text || !slices.Equal(got.args, want.args) {
			t.Errorf("%q: %+v, want %+v", words, got, want)
		}
	}
	if got := parse([]string{"", "f"}); got.file != "" || len(got.args) != 1 {
		t.Errorf("an empty name: %+v", got)
	}
}

// TestNames knows shells, and what stays in front of an app.
func TestNames(t *testing.T) {
	t.Parallel()
	for word, want := range map[string][2]bool{ // whether it is a shell, and whether it stays
		"/bin/sh": {true, false}, "-bash": {true, false}, "/usr/bin/ksh93": {true, false}, "zsh": {true, false},
		"/bin/hush": {true, false}, "dash": {true, false}, "ash": {true, false}, "mksh": {true, false},
		"/opt/bash5.2": {true, false}, "sh: a title": {true, false},
		"/usr/bin/tini": {false, true}, "/tini-static": {false, true}, "dumb-init": {false, true},
		"/usr/libexec/podman/catatonit": {false, true}, "/bin/su": {false, true}, "sudo": {false, true},
		"/sbin/runuser": {false, true}, "timeout": {false, true},
		"/usr/sbin/gosu": {}, "setpriv": {}, "env": {}, "/usr/sbin/nginx": {}, "fish": {}, "sudoedit": {},
		"bashful": {}, "": {}, "nginx: master process /usr/sbin/sh": {},
	} {
		name := nameOf(word)
		if got := [2]bool{IsShell(name), Stays(name)}; got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}
