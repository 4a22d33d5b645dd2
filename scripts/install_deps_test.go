// Package scripts tests install-deps, which make test and make check start first.
package scripts

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestInstallDeps_waits_for_locks: install-deps waits while somebody else uses the package manager, whatever of its locks that holds.
func TestInstallDeps_waits_for_locks(t *testing.T) {
	dir := t.TempDir()
	under := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		for _, err := range []error{os.MkdirAll(filepath.Dir(under(name)), 0o755), os.WriteFile(under(name), []byte(text), 0o644)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	about := "Package: thing\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: thing\n"
	write("thing/DEBIAN/control", about)
	write("thing/thing", "")
	if out, err := exec.Command("dpkg-deb", "--build", under("thing"), under("thing.deb")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	deb, err := os.ReadFile(under("thing.deb"))
	if err != nil {
		t.Fatal(err)
	}
	write("Packages", fmt.Sprintf("%sFilename: ./thing.deb\nSize: %d\nSHA256: %x\n", about, len(deb), sha256.Sum256(deb)))
	write("etc/sources.list", "deb [trusted=yes] file:"+dir+" ./\n")
	for _, name := range []string{"etc/apt.conf.d/x", "etc/preferences.d/x", "root/var/lib/dpkg/status", "root/var/lib/dpkg/info/x",
		"root/var/log/x", "cache/archives/partial/x", "state/lists/partial/x"} {
		write(name, "")
	}
	if err := os.Mkdir(under("root/var/lib/dpkg/updates"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("conf", fmt.Sprintf(`Dir::State "%[1]s/state"; Dir::State::status "%[1]s/root/var/lib/dpkg/status"; Dir::Cache "%[1]s/cache"; Dir::Etc "%[1]s/etc";
Dir::Log "%[1]s"; APT::Sandbox::User "root"; DPkg::Options { "--root=%[1]s/root"; };`, dir))

	read, wrote := io.Pipe()
	install := exec.Command("./install-deps", "no-such-program:thing")
	install.Env = append(os.Environ(), "APT_CONFIG="+under("conf"))
	install.Stdout, install.Stderr = wrote, wrote
	held := map[string]*os.File{}
	for _, lock := range []string{"state/lists/lock", "root/var/lib/dpkg/lock-frontend", "cache/archives/lock"} {
		held[lock] = locked(t, under(lock))
	}
	if err := install.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- install.Wait(); _ = wrote.Close() }()
	var said bytes.Buffer
	for b := make([]byte, 1); ; {
		if _, err := read.Read(b); err != nil {
			break
		}
		said.Write(b)
		for lock, f := range held {
			if bytes.Contains(said.Bytes(), []byte("Could not get lock "+under(lock))) {
				delete(held, lock)
				f.Close()
			}
		}
	}
	if err := <-ended; err != nil || len(held) > 0 {
		t.Fatalf("ended with %v; never waited for: %v\n%s", err, held, said.Bytes())
	}
	if _, err := os.Stat(under("root/thing")); err != nil {
		t.Errorf("%v\n%s", err, said.Bytes())
	}
}

// locked takes a lock as apt does: fcntl(2).
func locked(t *testing.T, path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o640)
	if err == nil {
		err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}
