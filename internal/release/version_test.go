package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clone is a copy of the script in a directory of its own.
type clone struct {
	t   *testing.T
	dir string
}

func newClone(t *testing.T, dir string) clone {
	t.Helper()
	c := clone{t, dir}
	script, err := os.ReadFile("version")
	if err != nil {
		t.Fatal(err)
	}
	c.write("internal/release/version", string(script))
	c.write(".gitattributes", "internal/release/version export-subst\n")
	return c
}

func (c clone) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		c.t.Fatal(err)
	}
}

// git runs one of its commands as somebody who has configured nothing.
func (c clone) git(args ...string) {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// want checks the version, which is a whole line.
func (c clone) want(pattern string) {
	c.t.Helper()
	out, err := exec.Command(filepath.Join(c.dir, "internal/release/version")).CombinedOutput()
	if err != nil || !regexp.MustCompile("^"+pattern+"\n$").Match(out) {
		c.t.Errorf("the version is %q, want %q (%v)", out, pattern, err)
	}
}

// TestVersion goes from a clone without a tag to an archive of a tag.
func TestVersion(t *testing.T) {
	c := newClone(t, t.TempDir())
	c.want("devel")
	c.git("init", "-q")
	c.want("devel") // a repository without a commit
	c.git("add", ".")
	c.git("commit", "-qm", "one")
	c.want("devel-g[0-9a-f]{7,}")
	c.git("tag", "nightly")
	c.want("devel-g[0-9a-f]{7,}")
	c.write("new", "not git's")
	c.want("devel-g[0-9a-f]{7,}")
	c.write(".gitattributes", "internal/release/version export-subst\n\n")
	c.want("devel-g[0-9a-f]{7,}-dirty")
	c.git("commit", "-qam", "two")
	c.git("tag", "v0.1.0")
	c.want("0.1.0")
	c.write(".gitattributes", "internal/release/version export-subst\n")
	c.want("0.1.0-dirty")
	c.git("commit", "-qam", "three")
	c.want("0.1.0-1-g[0-9a-f]{7,}")
	c.git("tag", "-am", "annotated", "v0.2.0-rc.1")
	c.want("0.2.0-rc.1")

	// A bare copy knows nothing, even inside of another repository; an archive knows its tag.
	newClone(t, filepath.Join(c.dir, "vendored")).want("devel")
	for of, want := range map[string]string{"v0.1.0": "0.1.0", "v0.2.0-rc.1": "0.2.0-rc.1", "v0.1.0~": "devel"} {
		unpacked := filepath.Join(c.dir, "archive", of)
		c.git("archive", "-o", "archive.tar", of)
		if err := os.MkdirAll(unpacked, 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("tar", "-xf", filepath.Join(c.dir, "archive.tar"), "-C", unpacked).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		clone{t, unpacked}.want(want)
	}
}

// TestBuildSaysVersion: make gives the program that version, or the one that it is
// told.
func TestBuildSaysVersion(t *testing.T) {
	program := filepath.Join(t.TempDir(), "confit")
	version, err := exec.Command("./version").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{"", "1.2.3-test"} {
		build := exec.Command("make", "-C", "../..", "--silent", "confit", "CONFIT="+program)
		if given != "" {
			build.Args = append(build.Args, "VERSION="+given)
		}
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want := given
		if want == "" {
			want = strings.TrimSpace(string(version))
		}
		if out, err := exec.Command(program, "--version").Output(); err != nil || string(out) != "confit "+want+"\n" {
			t.Errorf("it says %q, want %q (%v)", out, want, err)
		}
	}
}
