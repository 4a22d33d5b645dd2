package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLookPath is a table. env(1), which calls execvp(3), is the witness.
func TestLookPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makePrograms(t, dir)
	for _, tt := range []struct {
		name, path string
		want       string // the program that is found, below dir
		code       int    // or the exit code
	}{
		{name: "tool", path: "a", want: "a/tool"},
		{name: "tool", path: "b:a", want: "b/tool"}, // the order of PATH
		{name: "tool", path: "missing:a/tool:a", want: "a/tool"},
		{name: "tool", path: "plain:a", want: "a/tool"},     // one that may not be executed is passed over
		{name: "tool", path: "directory:b", want: "b/tool"}, // so is a directory
		{name: "tool", path: "plain", code: 126},            // unless there is no other
		{name: "tool", path: "directory:missing", code: 126},
		{name: "tool", path: "plain:directory:missing", code: 126},
		{name: "tool", path: "missing", code: 127},
		{name: "nothing", path: "a:b", code: 127},
		{name: "", path: "a:b", code: 127},
		{name: "here", path: "a:.", want: "here"},
		{name: "here", path: "a:", want: "here"}, // an empty element is the current directory
		{name: "here", path: ":a", want: "here"},
		{name: "here", path: "a::b", want: "here"},
		{name: "here", path: "", want: "here"}, // so is an empty PATH
		{name: "here", path: "a", code: 127},
		{name: "a/tool", path: "b", want: "a/tool"}, // with a slash PATH means nothing
		{name: "./here", path: "b", want: "here"},
		{name: "b/../a/tool", path: "b", want: "a/tool"},
		{name: "plain/tool", path: "a", code: 126},
		{name: "a", path: ".", code: 126},
		{name: "a/nothing", path: "a", code: 127},
		{name: "linked", path: "a", want: "a/linked"},
		{name: "dangling", path: "a", code: 127},
	} {
		path := absolute(dir, tt.path)
		got, code := found(tt.name, path, dir)
		if got != tt.want || code != tt.code {
			t.Errorf("%q in %q: found %q, code %d, want %q, %d", tt.name, tt.path, got, code, tt.want, tt.code)
		}
		if said, code := witness(t, tt.name, path, dir); said != tt.want || code != tt.code {
			t.Errorf("%q in %q: env runs %q, code %d, want %q, %d", tt.name, tt.path, said, code, tt.want, tt.code)
		}
	}
}

// makePrograms fills the directory. Each program prints where it is.
func makePrograms(t *testing.T, dir string) {
	t.Helper()
	for name, mode := range map[string]os.FileMode{"a/tool": 0o755, "b/tool": 0o755, "plain/tool": 0o644, "here": 0o755, "a/linked-to": 0o755} {
		said := strings.TrimSuffix(name, "-to")
		script(t, filepath.Join(dir, name), "#!/bin/sh\necho "+said+"\n", mode)
	}
	if err := os.MkdirAll(dir+"/directory/tool", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a/linked": "linked-to", "a/dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// absolute puts the directory in front of the elements of a PATH, but for those
// that are relative on purpose.
func absolute(dir, path string) string {
	elements := strings.Split(path, ":")
	for i, e := range elements {
		if e != "" && e != "." {
			elements[i] = filepath.Join(dir, e)
		}
	}
	return strings.Join(elements, ":")
}

// found is what lookPath finds, below the directory in which a process would
// start, or the exit code of its error.
func found(name, path, dir string) (string, int) {
	got, err := lookPath(name, []string{"A=b", "PATH=" + path}, dir)
	if err != nil {
		return "", StartCode(err)
	}
	rel, err := filepath.Rel(dir, inDir(dir, got))
	if err != nil {
		return err.Error(), -1
	}
	return rel, 0
}

// witness is what env(1) runs in the same place: the name that the program
// prints, or env's exit code.
func witness(t *testing.T, name, path, dir string) (string, int) {
	t.Helper()
	cmd := exec.Command("env", "-i", "PATH="+path, name)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n"), 0
}

// TestPathOf: of two PATHs the first counts, as for getenv(3); without one
// there is a default.
func TestPathOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{[]string{"A=1", "PATH=/a", "PATH=/b"}, "/a"},
		{[]string{"PATH="}, ""},
		{[]string{"XPATH=/a", "PATH=/b=c"}, "/b=c"},
	} {
		if got := pathOf(tt.env); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.env, got, tt.want)
		}
	}
	for _, env := range [][]string{nil, {"A=1"}, {"PATH"}} {
		if path, err := lookPath("sh", env, "/"); err != nil || !strings.HasSuffix(path, "/sh") {
			t.Errorf("%q: sh is found as %q, %v", env, path, err)
		}
	}
}
