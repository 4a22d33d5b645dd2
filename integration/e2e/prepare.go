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

// unpacked are the programs that are taken out of Debian's packages, and where they lie in them. An installed containerd or
// etcd would be a service of the machine.
var unpacked = map[string][]string{
	"containerd":                  {"usr/bin/containerd", "usr/bin/containerd-shim-runc-v2", "usr/bin/ctr"},
	"etcd-server":                 {"usr/bin/etcd"},
	"containernetworking-plugins": {"usr/lib/cni/bridge", "usr/lib/cni/host-local", "usr/lib/cni/loopback"},
}

func (s settings) bin(name string) string { return filepath.Join(s.Cache, "bin", name) }
func (s settings) run(name string) string { return filepath.Join(s.Cache, "run", name) }

// rootfs is Debian with its nginx, which the base images are made of.
func (s settings) rootfs() string { return filepath.Join(s.Cache, "debian.tar") }

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

// makePrograms makes etcd, the API server and the kubelet ready, for tests that need no node.
func (s settings) makePrograms(ctx context.Context) error {
	if err := s.find(ctx); err != nil {
		return err
	}
	release, err := lock()
	if err != nil {
		return err
	}
	defer release()
	return errors.Join(s.unpack(ctx), s.buildKubernetes(ctx))
}

// prepare builds and fetches what can be kept.
func (s settings) prepare(ctx context.Context) error {
	for _, part := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"containerd, etcd and CNI plugins from Debian", s.unpack},
		{"Debian with nginx", s.bootstrap},
		{"Kubernetes", s.buildKubernetes},
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

func (s settings) unpack(ctx context.Context) error {
	missing := false
	for _, files := range unpacked {
		for _, file := range files {
			_, err := os.Stat(s.bin(filepath.Base(file)))
			missing = missing || err != nil
		}
	}
	if !missing {
		return nil
	}
	dir, err := os.MkdirTemp(s.Cache, "deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.MkdirAll(s.bin(""), 0o755), command(ctx, dir, nil, "apt-get", "update", "-q")); err != nil {
		return err
	}
	for name, files := range unpacked {
		err := command(ctx, dir, nil, "sh", "-ec", "apt-get download -q "+name+"; dpkg-deb -x "+name+"_*.deb "+name)
		for _, file := range files {
			if err == nil {
				err = os.Rename(filepath.Join(dir, name, file), s.bin(filepath.Base(file)))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bootstrap makes the root file system that stands for the official images.
func (s settings) bootstrap(ctx context.Context) error {
	if _, err := os.Stat(s.rootfs()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir, err := os.MkdirTemp(s.Cache, "bootstrap-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tar := filepath.Join(dir, "debian.tar")
	err = command(ctx, dir, []string{"TMPDIR=" + dir},
		"mmdebstrap", "--quiet", "--variant=minbase", "--include=nginx-light", "bookworm", tar)
	if err != nil {
		return err
	}
	return os.Rename(tar, s.rootfs())
}

// buildKubernetes builds its programs with the version that their module has, unless they are there: even to see that takes Go some
// time.
func (s settings) buildKubernetes(ctx context.Context) error {
	dir := filepath.Join(s.Source, "integration/e2e/kubernetes")
	made, err := s.madeOf(ctx, dir)
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(s.bin("kubernetes.made-of")); err == nil && string(was) == made {
		return nil
	}
	version, err := output(ctx, dir, "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	const pkg = "k8s.io/component-base/version"
	flags := fmt.Sprintf("-s -w -X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s",
		pkg, version, parts[0], parts[1])
	if err := command(ctx, dir, static, "go", "build", "-trimpath", "-ldflags", flags, "-o", s.bin("")+"/", "tool"); err != nil {
		return err
	}
	return os.WriteFile(s.bin("kubernetes.made-of"), []byte(made), 0o644)
}

// madeOf is all that decides what the programs are: their modules and Go's version.
func (s settings) madeOf(ctx context.Context, dir string) (string, error) {
	modules, err1 := os.ReadFile(filepath.Join(dir, "go.mod"))
	sums, err2 := os.ReadFile(filepath.Join(dir, "go.sum"))
	version, err3 := output(ctx, dir, "go", "env", "GOVERSION")
	return version + "\n" + string(modules) + string(sums), errors.Join(err1, err2, err3)
}

func (s settings) buildPause(ctx context.Context) error {
	return command(ctx, s.Source, static,
		"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.bin("pause"), "./integration/e2e/pause")
}

// fetchModules fetches what Dockerfile.example downloads: its build has no network here and takes the modules from a
// directory.
func (s settings) fetchModules(ctx context.Context) error {
	return command(ctx, s.Source, []string{"GOMODCACHE=" + s.modules(), "GOFLAGS=-modcacherw"}, "go", "mod", "download")
}

// release makes what make dist and make image hand out, for this platform.
func (s settings) release(ctx context.Context) error {
	release := []string{"run", "./release", "-out", s.dist(""), "-version", "devel", "-arches", runtime.GOARCH}
	return errors.Join(
		command(ctx, s.Source, nil, "go", release...),
		command(ctx, s.Source, nil, "go", append(release, "-images")...))
}

func (s settings) dist(name string) string { return filepath.Join(s.Cache, "dist", name) }

func (s settings) modules() string { return filepath.Join(s.Cache, "modules") }

// static is the environment in which Go builds programs that need no library.
var static = []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false"}

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
