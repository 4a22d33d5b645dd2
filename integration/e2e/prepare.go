package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func (s settings) bin(name string) string { return filepath.Join(s.Cache, "bin", name) }
func (s settings) run(name string) string { return filepath.Join(s.Cache, "run", name) }

// rootfs is a Debian that base images are made of: debian has its nginx, debian-postgres its PostgreSQL.
func (s settings) rootfs(name string) string { return filepath.Join(s.Cache, name+".tar") }

// find fills in where things are.
func (s *settings) find(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("cannot make a node: it needs root")
	}
	mod, err := output(ctx, ".", "go", "env", "GOMOD")
	if err != nil {
		return err
	}
	s.Source = filepath.Dir(mod)
	if s.GoRoot, err = output(ctx, ".", "go", "env", "GOROOT"); err != nil {
		return err
	}
	if s.Cache = os.Getenv("E2E_CACHE"); s.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("cannot find a cache directory: %w; set E2E_CACHE", err)
		}
		s.Cache = filepath.Join(dir, "confit-e2e")
	}
	if s.Cache, err = filepath.Abs(s.Cache); err != nil {
		return err
	}
	for _, dir := range covered {
		if strings.HasPrefix(s.Cache+"/", dir+"/") {
			return fmt.Errorf("cannot use %s as a cache: the node covers %s; set E2E_CACHE to a directory on a disk", s.Cache, dir)
		}
	}
	return os.MkdirAll(s.Cache, 0o755)
}

// lock keeps a second run out: cgroups and cache are the same. A socket without a file leaves nothing behind.
func lock() (release func(), err error) {
	socket, err := net.Listen("unix", "@confit-e2e")
	if err != nil {
		return nil, fmt.Errorf("cannot begin: %w; is another run under way?", err)
	}
	return func() { _ = socket.Close() }, nil
}

// prepare builds and fetches what can be kept.
func (s settings) prepare(ctx context.Context) error {
	for _, part := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"etcd and CNI plugins from Debian", s.unpack},
		{"Debian with nginx, and with PostgreSQL", s.bootstrap},
		{"Kubernetes", s.buildKubernetes},
		{"containerd", s.buildContainerd},
		{"the pause program", s.buildPause},
		{"confit's modules", s.fetchModules},
		{"confit's own images", s.release},
	} {
		begin := time.Now()
		err := part.do(ctx)
		if s.note(part.what, begin, &err); err != nil {
			return fmt.Errorf("cannot make ready %s: %w", part.what, err)
		}
	}
	return nil
}

// bootstrap makes the root file systems that stand for the official images. PostgreSQL has neither its compiler of
// queries, which is half as large as all the rest, nor the database that Debian's package makes.
func (s settings) bootstrap(ctx context.Context) error {
	return errors.Join(
		s.debian(ctx, "debian", "--include=nginx-light"),
		s.debian(ctx, "debian-postgres", "--include=postgresql-15",
			"--dpkgopt=path-exclude=*llvm*", "--dpkgopt=path-exclude=*LLVM*",
			`--customize-hook=chroot "$1" pg_dropcluster 15 main`))
}

// debian makes one of them, unless it is there.
func (s settings) debian(ctx context.Context, name string, options ...string) error {
	if _, err := os.Stat(s.rootfs(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir, err := os.MkdirTemp(s.Cache, "bootstrap-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tar := filepath.Join(dir, name+".tar")
	options = append([]string{"--quiet", "--variant=minbase"}, append(options, "bookworm", tar)...)
	if err := command(ctx, dir, []string{"TMPDIR=" + dir}, "mmdebstrap", options...); err != nil {
		return err
	}
	return os.Rename(tar, s.rootfs(name))
}

// fetchModules fetches what Dockerfile.example downloads: its build has no network here and takes the modules from a
// directory.
func (s settings) fetchModules(ctx context.Context) error {
	return command(ctx, s.Source, []string{"GOMODCACHE=" + s.modules(), "GOFLAGS=-modcacherw"}, "go", "mod", "download")
}

// release makes what make dist and make image hand out, for this platform.
func (s settings) release(ctx context.Context) error {
	release := []string{"run", "./internal/release", "-out", s.dist(""), "-version", "devel", "-platforms", "linux-" + runtime.GOARCH}
	return errors.Join(
		command(ctx, s.Source, nil, "go", release...),
		command(ctx, s.Source, nil, "go", append(release, "-images")...),
		s.install("kubectl-confit"), s.install("kubectl_complete-confit"))
}

// install puts the plugin to the programs that the node finds first, under a name by which kubectl looks for it.
func (s settings) install(name string) error {
	if err := os.Remove(s.bin(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(s.dist("kubectl-confit-linux-"+runtime.GOARCH), s.bin(name))
}

func (s settings) dist(name string) string { return filepath.Join(s.Cache, "dist", name) }

func (s settings) modules() string { return filepath.Join(s.Cache, "modules") }

// command runs a program; what it prints is shown if it fails.
func command(ctx context.Context, dir string, environment []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environment...)
	// Mounts that it makes are its own; in a group of its own, what it started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, tail(out, 40))
	}
	return nil
}

// output is the one line that a program prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// tail is the end of a text.
func tail(text []byte, lines int) []byte {
	all := bytes.SplitAfter(bytes.TrimRight(text, "\n"), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], nil)
}
