package entrypoint

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// made is a process of a made-up /proc.
type made struct {
	cmdline  string // words between |
	exe      string // "" where it can't be read
	children string
	name     string
	state    string
	parent   int
}

// proc makes up a /proc. A tree without lists of children is that of another kernel.
func proc(t *testing.T, lists bool, processes map[int]made) *Proc {
	t.Helper()
	root := t.TempDir()
	for pid, p := range processes {
		dir := filepath.Join(root, strconv.Itoa(pid))
		task := filepath.Join(dir, "task", strconv.Itoa(pid))
		if err := os.MkdirAll(task, 0o755); err != nil {
			t.Fatal(err)
		}
		words := strings.ReplaceAll(p.cmdline, "|", "\x00")
		if words != "" {
			words += "\x00"
		}
		state := p.state
		if state == "" {
			state = "S"
		}
		makeProgram(t, filepath.Join(dir, "cmdline"), words)
		makeProgram(t, filepath.Join(dir, "stat"), fmt.Sprintf("%d (%s) %s %d 1 1%s\n", pid, p.name, state, p.parent, strings.Repeat(" 0", 48)))
		if p.exe != "" {
			if err := os.Symlink(p.exe, filepath.Join(dir, "exe")); err != nil {
				t.Fatal(err)
			}
		}
		if lists {
			makeProgram(t, filepath.Join(task, "children"), p.children)
		}
	}
	makeProgram(t, filepath.Join(root, "uptime"), "")
	return NewProc(root, "", "")
}

// found is what a test says of a look.
func found(l Look) string {
	s := strconv.Itoa(l.PID) + " " + l.Program
	for _, flag := range []struct {
		is   bool
		name string
	}{{l.Shell, " shell"}, {l.Executes, " executes"}, {l.Waiting, " waiting"}} {
		if flag.is {
			s += flag.name
		}
	}
	return s + ": " + l.Words
}

// TestLook asks the right process.
func TestLook(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	makeProgram(t, script, "work; exec daemon")
	loop := filepath.Join(t.TempDir(), "loop")
	makeProgram(t, loop, "work; server")
	args := filepath.Join(t.TempDir(), "args")
	makeProgram(t, args, `exec "$@"; server`)
	shell := made{cmdline: "/bin/bash|" + script, exe: "/usr/bin/bash", parent: 1}
	nginx := made{cmdline: "nginx: master process nginx", exe: "/usr/sbin/nginx", parent: 1}
	other := made{cmdline: "/bin/bash|" + loop, parent: 1}
	su := made{cmdline: "su|x", parent: 1, children: "4"}
	ash := made{cmdline: "/bin/ash|-c|work; daemon", exe: "/bin/busybox"}
	busybox := made{cmdline: "/bin/busybox|sh|-c|work; daemon", exe: "/bin/busybox"}
	tini := func(children string) made {
		return made{cmdline: "tini|-s|--|x", exe: "/sbin/tini-static", children: children}
	}
	dash := func(text, children string) made {
		return made{cmdline: "sh|-c|" + text, exe: "/bin/dash", children: children}
	}
	for _, at := range []struct {
		want string
		tree map[int]made
	}{
		{"1 nginx: nginx", map[int]made{1: {cmdline: "nginx|-g|secret", exe: "/usr/sbin/nginx"}}},
		{"1 nginx: /usr/sbin/nginx", map[int]made{1: {cmdline: "/usr/sbin/nginx", exe: "/usr/sbin/nginx (deleted)"}}},
		{"1 bash shell executes: /bin/bash SCRIPT", map[int]made{1: shell}},
		{"1 bash shell executes: bash SCRIPT", map[int]made{1: {cmdline: "bash|-euo|pipefail|" + script + "|secret"}}},
		{"1 bash shell: /bin/bash LOOP", map[int]made{1: {cmdline: "/bin/bash|" + loop, children: "2"}, 2: nginx}},
		{"1 bash shell: -bash", map[int]made{1: {cmdline: "-bash"}}},
		{"1 bash shell: bash /nowhere/script", map[int]made{1: {cmdline: "bash|/nowhere/script"}}},
		{"1 bash shell executes: bash -c", map[int]made{1: {cmdline: "bash|-c|work; daemon", exe: "/bin/bash"}}},
		{"1 sh shell: sh -c", map[int]made{1: {cmdline: "sh|-c|work; daemon"}}},
		{"1 sh shell executes: sh -c", map[int]made{1: busybox}},
		{"1 ash shell executes: /bin/ash -c", map[int]made{1: ash}},
		{"1 httpd: httpd", map[int]made{1: {cmdline: "/bin/busybox|httpd|-f"}}},
		{"1 busybox: busybox", map[int]made{1: {cmdline: "busybox", exe: "/bin/busybox"}}},
		{"1 tini-static waiting: tini", map[int]made{1: tini("")}},
		{"1 tini-static waiting: tini", map[int]made{1: tini("2"), 2: {cmdline: "x", state: "Z", parent: 1}}},
		{"2 bash shell executes: /bin/bash SCRIPT", map[int]made{1: tini("2 3"), 2: shell, 3: nginx}},
		{"3 nginx: nginx", map[int]made{1: tini("2 3"), 2: {state: "X", parent: 1}, 3: nginx}},
		{"4 postgres: postgres", map[int]made{1: tini("2"), 2: su, 4: {cmdline: "postgres", parent: 2}}},
		{"2 bash shell executes: /bin/bash SCRIPT", map[int]made{1: dash("./x", "2"), 2: shell}},
		{"2 bash shell: /bin/bash LOOP", map[int]made{1: dash("./x", "2"), 2: other}},
		{"1 dash shell: sh -c", map[int]made{1: dash("./x", "2 3"), 2: shell, 3: shell}},
		{"1 dash shell: sh -c", map[int]made{1: dash("x; y", "2"), 2: nginx}},
		{"1 dash shell executes: sh -c", map[int]made{1: dash("exec x", "2"), 2: shell}},
		{"1 bash shell: bash ARGS", map[int]made{1: {cmdline: "bash|" + args}}},
		{"1 bash shell executes: bash ARGS", map[int]made{1: {cmdline: "bash|" + args + "|x"}}},
		{"1 nginx: nginx", map[int]made{1: {exe: "/usr/sbin/nginx"}}},
		{"1 gosu waiting: gosu", map[int]made{1: {cmdline: "gosu|nobody|" + script}}},
		{"1 setpriv waiting: setpriv", map[int]made{1: {cmdline: "setpriv|nginx", exe: "/usr/bin/setpriv"}}},
		{"1 env waiting: /usr/bin/env", map[int]made{1: {cmdline: "/usr/bin/env|bash|" + script, exe: "/usr/bin/env"}}},
		{"1 : ", map[int]made{1: {state: "Z"}}},
		{"1 : ", map[int]made{2: shell}},
	} {
		want := strings.NewReplacer("SCRIPT", script, "LOOP", loop, "ARGS", args).Replace(at.want)
		for _, lists := range []bool{true, false} {
			if got := found(proc(t, lists, at.tree).Look(1)); got != want {
				t.Errorf("%q, want %q (with lists of children: %v)", got, want, lists)
			}
		}
	}
}

// TestLook_nothing: without a /proc nothing is known.
func TestLook_nothing(t *testing.T) {
	t.Parallel()
	if got := found(NewProc(filepath.Join(t.TempDir(), "proc"), "", "").Look(1)); got != "1 : " {
		t.Errorf("%q", got)
	}
}

// TestLook_endless: a tree of inits, and one that leads back, have an end.
func TestLook_endless(t *testing.T) {
	t.Parallel()
	p := proc(t, true, map[int]made{
		1: {cmdline: "tini", children: "2", parent: 2},
		2: {cmdline: "tini", children: "1", parent: 1},
	})
	if got := p.Look(1); !got.Waiting {
		t.Errorf("%+v", got)
	}
}

// TestLook_once: a script is read once for a cmdline, and only as far as 256 KiB.
func TestLook_once(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	p := proc(t, true, map[int]made{
		1: {cmdline: "sh|" + script},
		2: {cmdline: "sh|" + script + "|x"},
		3: {cmdline: "sh|-e|" + script},
	})
	makeProgram(t, script, "exec daemon")
	first := p.Look(1)
	makeProgram(t, script, strings.Repeat(" ", mostBytes)+"exec daemon")
	again, other := p.Look(1), p.Look(2)
	if first != again || !first.Executes || other.Executes || other.Cmdline == first.Cmdline {
		t.Errorf("%+v, %+v, %+v", first, again, other)
	}
	for n := range 2 * mostRead {
		p.read[Cmdline{byte(n), 1}] = Meaning{Executes: true}
	}
	makeProgram(t, script, "exec daemon")
	if got := p.Look(3); !got.Executes || len(p.read) > mostRead {
		t.Errorf("%+v, and %d are known", got, len(p.read))
	}
}

// TestLook_path: a relative name is looked for in the working directory and the search path, and with a slash not
// there.
func TestLook_path(t *testing.T) {
	t.Parallel()
	empty, dir, later := t.TempDir(), t.TempDir(), t.TempDir()
	makeProgram(t, filepath.Join(dir, "script"), "exec daemon")
	makeProgram(t, filepath.Join(later, "script"), "server")
	if err := os.Mkdir(filepath.Join(empty, "script"), 0o755); err != nil { // no file
		t.Fatal(err)
	}
	p := proc(t, true, map[int]made{
		1: {cmdline: "bash|script"},
		2: {cmdline: "bash|./script"},
		3: {cmdline: "bash|testdata/exec.sh"},
	})
	p.path = []string{empty, dir, later}
	if one, two, three := p.Look(1), p.Look(2), p.Look(3); !one.Executes || two.Executes || !three.Executes {
		t.Errorf("%+v, %+v, %+v", one, two, three)
	}
}

// TestHead: nothing but a file is opened, as whoever waits at the other end of a pipe would take that for a reader.
func TestHead(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err == nil {
		defer unix.Close(watch)
		err = unix.Mkfifo(pipe, 0o600)
	}
	if err == nil {
		_, err = unix.InotifyAddWatch(watch, pipe, unix.IN_OPEN)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/zero", t.TempDir(), ""} {
		if got := head(path); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
	if n, err := unix.Read(watch, make([]byte, 100)); err != unix.EAGAIN {
		t.Errorf("the pipe was opened: %d, %v", n, err)
	}
}

// TestExecuted: the name of a process that has ended tells whether it was still the script.
func TestExecuted(t *testing.T) {
	t.Parallel()
	before := Look{PID: 1, Shell: true, name: "start.sh"}
	for name, want := range map[string]bool{"start.sh": false, "nginx": true, "a) Z (b": true} {
		p := proc(t, true, map[int]made{1: {name: name, state: "Z"}})
		if got := p.Executed(before); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if p.Executed(Look{PID: 2, name: "x"}) {
			t.Error("a process that isn't there has executed something")
		}
		if got := p.Look(1); got.name != name {
			t.Errorf("the name is %q, want %q", got.name, name)
		}
	}
}
