// Probe is the app of a container under test, its validator, and what the host asks there: a static program that needs nothing else. The host
// and the probe share the directory /ctl. The app adds a line to said for each thing that happens to it, and does what is written to do.N, in
// order; its answer is done.N.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	ctl = "/ctl/"
	key = "/etc/app/key"
)

func main() {
	switch mode := os.Args[1:]; {
	case len(mode) == 0:
		serve()
	case mode[0] == "validate":
		validate(mode[1])
	case mode[0] == "parent": // of an orphan
		child := exec.Command("/probe", "orphan")
		if err := child.Start(); err != nil {
			fail(err)
		}
	case mode[0] == "orphan":
		time.Sleep(300 * time.Millisecond)
	case mode[0] == "say":
		say(strings.Join(mode[1:], " "))
	case mode[0] == "work": // of an entrypoint, until the host lets it end
		say("works")
		for !exists(ctl + "worked") {
			time.Sleep(20 * time.Millisecond)
		}
		say("worked")
	}
}

// validate refuses an edition that says so, and hangs for one that says that.
func validate(candidate string) {
	text, err := os.ReadFile(filepath.Join(candidate, "web/key"))
	switch {
	case err != nil:
		fail(err)
	case strings.HasPrefix(string(text), "bad"):
		fail(fmt.Errorf("a bad edition"))
	case strings.HasPrefix(string(text), "hang"):
		select {}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "probe:", err)
	os.Exit(1)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// say adds a line to what the host reads.
func say(line string) {
	f, err := os.OpenFile(ctl+"said", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = fmt.Fprintln(f, line)
	}
	if err != nil {
		fail(err)
	}
	f.Close()
}

// read says what an edition is, and dies of a deadly one.
func read(event string) {
	text, err := os.ReadFile(key)
	edition := strings.TrimSpace(string(text))
	if err != nil {
		edition = err.Error()
	}
	say(event + " " + edition)
	if strings.HasPrefix(edition, "deadly") {
		os.Exit(9)
	}
}

// serve is the app.
func serve() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGHUP, unix.SIGUSR1, unix.SIGTERM)
	read("start")
	touched, next := inode("/etc/app/touched"), 1
	for exists(fmt.Sprint(ctl, "done.", next)) { // an app that was started again goes on
		next++
	}
	for {
		select {
		case s := <-signals:
			switch s {
			case unix.SIGHUP:
				read("hup")
			case unix.SIGUSR1:
				say("usr1")
			default:
				say("term")
				os.Exit(7)
			}
		case <-time.After(20 * time.Millisecond):
			if now := inode("/etc/app/touched"); now != touched {
				touched = now
				text, _ := os.ReadFile("/etc/app/touched")
				say("touched " + strings.TrimSpace(string(text)))
			}
			if next += obey(next); next < 0 {
				return
			}
		}
	}
}

// inode is the number of a name itself.
func inode(path string) uint64 {
	var st unix.Stat_t
	_ = unix.Lstat(path, &st)
	return st.Ino
}

// obey does what the host wants next, if there is anything.
func obey(n int) (done int) {
	what, err := os.ReadFile(fmt.Sprint(ctl, "do.", n))
	if err != nil {
		return 0
	}
	words := strings.Fields(string(what))
	answer(n, perform(words[0], words[1:]))
	switch words[0] {
	case "exit":
		code := 0
		_, _ = fmt.Sscan(words[1], &code)
		os.Exit(code)
	case "die":
		signal.Reset()
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	}
	return 1
}

// answer writes what the host waits for, whole.
func answer(n int, text string) {
	name := fmt.Sprint(ctl, "done.", n)
	err := os.WriteFile(name+".new", []byte(text), 0o666)
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		fail(err)
	}
}

func perform(what string, args []string) string {
	switch what {
	case "read":
		text, err := os.ReadFile(args[0])
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(string(text))
	case "put": // as an app that replaces its own file
		err := os.WriteFile(args[0]+".new", []byte("app"), 0o644)
		if err == nil {
			err = os.Rename(args[0]+".new", args[0])
		}
		return fmt.Sprint(err)
	case "orphans":
		return orphans(args[0])
	case "notify":
		return notify(strings.Join(args, " "))
	case "confit":
		return confit(args)
	case "size":
		return size()
	}
	return ""
}

// orphans leaves some to process 1, and counts what is left of them when they have had time to end.
func orphans(many string) string {
	n := 0
	_, _ = fmt.Sscan(many, &n)
	for range n {
		if err := exec.Command("/probe", "parent").Run(); err != nil {
			return err.Error()
		}
	}
	left := 0
	for range 500 {
		if left = others(); left == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Sprint(left)
}

// others counts the processes of this container that are orphans, or were and aren't reaped.
func others() (n int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); strings.Contains(string(text), "(probe)") && len(f) > 1 && filepath.Base(filepath.Dir(path)) != fmt.Sprint(os.Getpid()) {
			n++
		}
	}
	return n
}

func notify(text string) string {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err == nil {
		defer unix.Close(fd)
		err = unix.Sendto(fd, []byte(text), 0, &unix.SockaddrUnix{Name: os.Getenv("NOTIFY_SOCKET")})
	}
	return fmt.Sprint(err)
}

// confit runs confit beside process 1, and returns its code, and what it printed. What stdin is to hold follows "<".
func confit(args []string) string {
	c := exec.Command("/bin/confit", args...)
	for i, a := range args {
		if a == "<" {
			c = exec.Command("/bin/confit", args[:i]...)
			c.Stdin = strings.NewReader(strings.Join(args[i+1:], " "))
			break
		}
	}
	out, _ := c.CombinedOutput()
	return fmt.Sprintf("%d\n%s", c.ProcessState.ExitCode(), out)
}

// size is the resident memory of the init, in KiB.
func size() string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", os.Getppid()))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.Fields(rest)[0]
		}
	}
	return "unknown"
}
