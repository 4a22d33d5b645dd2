// Environments plays one script of scenes wherever confit may run, and writes what held into the table of a page. It needs root on Debian, and
// installs what is missing. What can't be had is named in the table with its reason.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	only := flag.String("only", "", "the rows whose names begin with this, or one of several with ; between; all by default")
	page := flag.String("page", "", "the page whose table is written, of these rows and those of "+kept)
	kubelet := flag.String("kubelet", "", "the writer of integration/kubelet")
	runsc := flag.String("runsc", "", "gVisor's runtime")
	rootfs := flag.String("rootfs", "", "the containers' root, where nothing can be built")
	inside := flag.String("inside", "", "in the virtual machine: the file for the rows")
	flag.Parse()
	if err := run(*only, *page, *kubelet, *runsc, *rootfs, *inside); err != nil {
		fmt.Fprintln(os.Stderr, "environments:", err)
		os.Exit(1)
	}
}

func run(only, page, kubelet, runsc, rootfs, inside string) error {
	dir, err := os.MkdirTemp("", "confit-environments-")
	if err != nil {
		return err
	}
	defer removeAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	secrets := filepath.Join(dir, "secrets")
	if err := os.Mkdir(secrets, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", secrets, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("cannot mount a tmpfs: %w", err)
	}
	var rows []row
	failed := 0
	list := environments(dir, runsc)
	if inside != "" {
		list = insideOnes(dir)
	}
	for _, e := range list {
		if !slices.ContainsFunc(strings.Split(only, ";"), func(begin string) bool { return strings.HasPrefix(e.name, begin) }) {
			continue
		}
		r := row{Name: e.name, Counter: e.counter, Missing: lacking(e.needs)}
		if r.Missing == "" {
			e.base, e.secrets = rootfs, secrets
			r.Cells = playIn(e, dir, kubelet)
		}
		rows = append(rows, r)
		if inside != "" {
			text, _ := json.Marshal(rows)
			if err := os.WriteFile(inside, text, 0o644); err != nil {
				return err
			}
		}
	}
	if inside == "" && (strings.HasPrefix(machineName, only) || strings.HasPrefix(only, machineName)) {
		rows = append(rows, inMachine(dir, kubelet, strings.TrimPrefix(strings.TrimPrefix(only, machineName), ": "))...)
	}
	var held []row
	for _, r := range rows {
		n := r.failures()
		failed += n
		if n == 0 {
			held = append(held, r)
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("no environment is called %q", only)
	}
	fmt.Print(tableOf(rows))
	if page != "" {
		err = keep(page, held, only == "")
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d cells are not what they should be", failed)
	}
	return err
}

// removeAll removes a directory, with what runtimes have left mounted there.
func removeAll(dir string) {
	text, _ := os.ReadFile("/proc/self/mounts")
	lines := strings.Split(string(text), "\n")
	slices.Reverse(lines)
	for _, line := range lines {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[1], dir+"/") {
			_ = unix.Unmount(f[1], unix.MNT_DETACH)
		}
	}
	os.RemoveAll(dir)
}

// playIn builds what a container of this machine or another one runs, and plays.
func playIn(e *environment, dir, kubelet string) []outcome {
	e.kubelet = kubelet
	if e.patience == 0 {
		e.patience = time.Minute
	}
	if e.orphans == 0 {
		e.orphans = 500
	}
	if e.init == nil {
		e.init = []string{"/bin/confit", "--"}
	}
	own := filepath.Join(dir, strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(e.name)))
	err := os.MkdirAll(own, 0o755)
	if err == nil && e.rootfs == "" {
		e.rootfs = filepath.Join(own, "rootfs")
		if e.base != "" {
			err = command("cp", "-a", e.base, e.rootfs)
		} else {
			err = makeRoot(e.rootfs, e.goarch)
		}
	}
	if err != nil {
		return []outcome{{Scene: "start", Err: err.Error()}}
	}
	return e.play(own)
}

// lacking names the programs that aren't here.
func lacking(programs []string) string {
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			return p + " isn't here"
		}
	}
	return ""
}
