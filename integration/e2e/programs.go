package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unpacked are the programs that are taken out of Debian's packages, and where they lie in them. An installed etcd would be a
// service of the machine.
var unpacked = map[string][]string{
	"etcd-server":                 {"usr/bin/etcd"},
	"containernetworking-plugins": {"usr/lib/cni/bridge", "usr/lib/cni/host-local", "usr/lib/cni/loopback"},
	"prometheus":                  {"usr/bin/prometheus", "usr/bin/promtool"}, // for an image
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

// buildKubernetes builds its programs with the version that their module has.
func (s settings) buildKubernetes(ctx context.Context) error {
	version, err := output(ctx, s.toolsDir("kubernetes"), "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	const pkg = "k8s.io/component-base/version"
	return s.buildTools(ctx, "kubernetes", fmt.Sprintf("-ldflags=-s -w -X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s",
		pkg, version, parts[0], parts[1]))
}

// buildContainerd leaves out the snapshotters that want file systems of their own: one of them needs a C library.
func (s settings) buildContainerd(ctx context.Context) error {
	return s.buildTools(ctx, "containerd", "-ldflags=-s -w", "-tags=no_btrfs no_devmapper no_zfs")
}

func (s settings) toolsDir(module string) string {
	return filepath.Join(s.Source, "integration/e2e", module)
}

// buildTools builds the tools of a module beside this program, unless they are there: even to see that takes Go some time.
func (s settings) buildTools(ctx context.Context, module string, flags ...string) error {
	made, err := s.madeOf(ctx, s.toolsDir(module), flags)
	if err != nil {
		return err
	}
	stamp := s.bin(module + ".made-of")
	if was, err := os.ReadFile(stamp); err == nil && string(was) == made {
		return nil
	}
	build := append(append([]string{"build", "-trimpath"}, flags...), "-o", s.bin("")+"/", "tool")
	if err := command(ctx, s.toolsDir(module), static, "go", build...); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(made), 0o644)
}

// madeOf is all that decides what the programs are: their modules, Go's version and its flags.
func (s settings) madeOf(ctx context.Context, dir string, flags []string) (string, error) {
	modules, err1 := os.ReadFile(filepath.Join(dir, "go.mod"))
	sums, err2 := os.ReadFile(filepath.Join(dir, "go.sum"))
	version, err3 := output(ctx, dir, "go", "env", "GOVERSION")
	return fmt.Sprintln(version, flags) + string(modules) + string(sums), errors.Join(err1, err2, err3)
}

func (s settings) buildPause(ctx context.Context) error {
	return command(ctx, s.Source, static,
		"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.bin("pause"), "./integration/e2e/pause")
}

// static is the environment in which Go builds programs that need no library.
var static = []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false"}
