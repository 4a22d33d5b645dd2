package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// platforms are those of Kubernetes' own images, and what else Go builds for
// that has containers, as values of GOARCH.
var platforms = []string{"386", "amd64", "arm", "arm64", "ppc64le", "riscv64", "s390x"}

// baseline is the oldest processor of each platform, whatever the builder's
// environment says. Kubernetes' images for arm are v7, too.
var baseline = []string{
	"GO386=sse2", "GOAMD64=v1", "GOARM=7", "GOARM64=v8.0", "GOPPC64=power8", "GORISCV64=rva20u64",
}

// program is one that is handed out.
type program struct {
	name        string
	dir         string // of its module
	description string
}

var programs = []program{
	{"confit", ".", "A tiny PID 1 that links ConfigMap and Secret keys to paths and turns their changes into checked reloads"},
	{"confitctl", "confitctl", "Hooks and metrics for confit: roll-outs, templates, reloads by HTTP"},
}

func (p program) binary(arch string) string { return p.name + "-linux-" + arch }

// build makes one binary as make build and make confitctl make it.
func (r release) build(p program, arch string) error {
	target := map[string][]string{
		"confit":    {"./build.sh", r.path(p.binary(arch))},
		"confitctl": {"make", "--no-print-directory", "--silent", "confitctl", "CONFITCTL=" + r.path(p.binary(arch))},
	}[p.name]
	cmd := exec.Command(target[0], target[1:]...)
	cmd.Env = append(environ(arch), "GO="+r.goTool, "VERSION="+r.version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build for %s: %w\n%s", arch, err, out)
	}
	return nil
}

// environ is that of Go when it builds for arch.
func environ(arch string) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch), baseline...)
}

// list asks Go for a program's packages or modules, one a line.
func (r release) list(p program, arch string, args ...string) ([]string, error) {
	cmd := exec.Command(r.goTool, append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, environ(arch)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == '\n' }), err
}
