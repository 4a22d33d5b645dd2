package entrypoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFronts: a shell that only waits for the last command of its text is told from one that has something to do itself.
func TestFronts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		how  How
		want bool
	}{
		{"work && daemon", How{Shell: "dash", Command: true}, true},
		{"work; daemon -g 'a b;'", How{Shell: "dash", Command: true}, true},
		{"daemon", How{Shell: "dash", Command: true}, true}, // dash executes none by itself
		{"daemon", How{Shell: "bash", Command: true}, false},
		{"work; daemon", How{Shell: "bash", Command: true}, false}, // bash executes the last
		{"work; daemon", How{Shell: "busybox", Command: true}, false},
		{"work; daemon 2>&1", How{Shell: "bash", Command: true}, true},
		{"set -e\nwork\ndaemon \"$@\" # the app\n", How{Shell: "bash"}, true},
		{"work &\nA=1 $DAEMON -f\n", How{Shell: "dash"}, true},
		{"work\n\"$@\"\n", How{Shell: "dash", Args: true}, true},
		{"work\n\"$@\"\n", How{Shell: "dash"}, false}, // of no words
		{"work; exec daemon", How{Shell: "dash", Command: true}, false},
		{"if work; then exec daemon; fi\nother\n", How{Shell: "dash"}, false},
		{"while work; do daemon; done\n", How{Shell: "dash"}, false},
		{"daemon &\nwait\n", How{Shell: "dash"}, false},
		{"daemon; exit 3", How{Shell: "bash", Command: true}, false},
		{"work; daemon &", How{Shell: "dash", Command: true}, false},
		{"daemon | tee log", How{Shell: "dash", Command: true}, false},
		{"trap clean EXIT\ndaemon\n", How{Shell: "bash"}, false},
		{"main() { daemon; }\nmain \"$@\"\n", How{Shell: "bash", Args: true}, false},
		{"(work; daemon)", How{Shell: "dash", Command: true}, false},
		{". /etc/rest\n", How{Shell: "bash"}, false},
		{"", How{Shell: "bash"}, false},
	} {
		if got := Read(row.text, row.how).Fronts; got != row.want {
			t.Errorf("%v: %v\n%s", row.how, got, row.text)
		}
	}
}

// TestForetell: what will run is known by the words, by the files and by the first line of a script.
func TestForetell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dash": "\x7fELF", "bash": "\x7fELF", "busybox": "\x7fELF", "daemon": "\x7fELF", "env": "\x7fELF",
		"start.sh":  "#!DIR/sh -e\nwork\ndaemon\n",
		"good.sh":   "#!DIR/sh\nwork\nexec daemon\n",
		"env.sh":    "#! DIR/env bash\nwork\ndaemon\n",
		"split.sh":  "#!DIR/env -S A=1 bash -e\nwork\ndaemon\n",
		"loop.sh":   "#!DIR/loop.sh\nwork\n",
		"args.sh":   "#!DIR/sh\nwork\n\"$@\"\n",
		"plain":     "work\ndaemon\n",
		"script.py": "#!DIR/python3\nwork\n",
	} {
		makeProgram(t, filepath.Join(dir, name), strings.ReplaceAll(text, "DIR", dir))
	}
	for name, to := range map[string]string{"sh": "dash", "ash": "busybox"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	p := NewProc("/proc", dir, "")
	find := func(program string) string {
		if strings.Contains(program, "/") {
			return program
		}
		return filepath.Join(dir, program)
	}
	for words, want := range map[string]string{
		"sh|-c|work && daemon":          "sh -c",
		"sh|-c|exec daemon":             "",
		"ash|-c|work && daemon":         "",
		"busybox|ash|-c|work; daemon":   "",
		"bash|-c|work; daemon >log":     "bash -c",
		"start.sh":                      "DIR/sh DIR/start.sh",
		"sh|start.sh":                   "sh start.sh",
		"good.sh":                       "",
		"env.sh":                        "bash DIR/env.sh",
		"split.sh|x":                    "bash DIR/split.sh",
		"env|A=1|sh|-c|work; daemon":    "sh -c",
		"loop.sh":                       "",
		"args.sh|daemon":                "DIR/sh DIR/args.sh",
		"args.sh":                       "",
		"sh|missing.sh":                 "",
		"plain":                         "",
		"script.py":                     "",
		"daemon|-c|work; daemon":        "",
		"missing":                       "",
		"":                              "",
		"env":                           "",
		"busybox|sh|-c|work; daemon >l": "sh -c",
	} {
		found := p.Foretell(strings.Split(words, "|"), find)
		got := ""
		if found.Fronts {
			got = strings.ReplaceAll(found.Words, dir, "DIR")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
	if p.Foretell(nil, find).Fronts {
		t.Error("no words have a shell")
	}
}
