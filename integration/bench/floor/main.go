// Command floor is what a Go program needs at least for confit's work: at each change of a volume's ..data it copies all keys to a new
// directory and hashes them, puts it in force by one rename, sends SIGHUP, and removes the directory before. Nothing is checked, and
// nothing is taken back.
//
//	floor VOLUME STATE APP [ARG]…
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func main() {
	fmt.Fprintln(os.Stderr, "floor:", run(os.Args[1], os.Args[2], os.Args[3:]))
	os.Exit(125)
}

// run goes on until something fails.
func run(volume, state string, app []string) error {
	events, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	if _, err := unix.InotifyAddWatch(events, volume, unix.IN_MOVED_TO); err != nil {
		return err
	}
	seen, _, err := publish(volume, state, 0)
	if err != nil {
		return err
	}
	cmd := exec.Command(app[0], app[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	buffer := make([]byte, 4096)
	for number := 1; ; {
		if _, err := unix.Read(events, buffer); err != nil && err != unix.EINTR {
			return err
		}
		if to, err := os.Readlink(filepath.Join(volume, "..data")); err != nil || to == seen {
			continue
		}
		var old string
		if seen, old, err = publish(volume, state, number); err != nil {
			return err
		}
		number++
		_ = cmd.Process.Signal(syscall.SIGHUP) // an app that is gone is noticed by its silence
		if err := os.RemoveAll(filepath.Join(state, old)); err != nil {
			return err
		}
	}
}

// publish copies what ..data leads to. It returns that, and the directory that is no longer in force.
func publish(volume, state string, number int) (data, old string, err error) {
	if data, err = os.Readlink(filepath.Join(volume, "..data")); err != nil {
		return "", "", err
	}
	dir := filepath.Join(state, strconv.Itoa(number))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", err
	}
	keys, err := os.ReadDir(filepath.Join(volume, data))
	if err != nil {
		return "", "", err
	}
	hash := sha256.New()
	for _, key := range keys {
		text, err := os.ReadFile(filepath.Join(volume, data, key.Name()))
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", key.Name(), len(text), text)
		if err := os.WriteFile(filepath.Join(dir, key.Name()), text, 0o444); err != nil {
			return "", "", err
		}
	}
	_ = hash.Sum(nil)
	next, live := filepath.Join(state, "next"), filepath.Join(state, "live")
	if err := os.Symlink(strconv.Itoa(number), next); err != nil {
		return "", "", err
	}
	old, _ = os.Readlink(live) // none at first
	return data, old, os.Rename(next, live)
}
