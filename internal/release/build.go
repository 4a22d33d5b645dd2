package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// platform is what a binary runs on: values of GOARCH and GOOS, which are those
// of OCI images, too.
type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

func (on platform) String() string { return on.OS + "-" + on.Architecture }

// each is every architecture on every system.
func each(systems []string, architectures ...string) (list []platform) {
	for _, system := range systems {
		for _, architecture := range architectures {
			list = append(list, platform{architecture, system})
		}
	}
	return list
}

// containers are the platforms of Kubernetes' own images, and what else Go
// builds for that has containers.
var containers = each([]string{"linux"}, "386", "amd64", "arm", "arm64", "ppc64le", "riscv64", "s390x")

// desks are the platforms where people run kubectl.
var desks = each([]string{"darwin", "linux", "windows"}, "amd64", "arm64")

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
	platforms   []platform
	image       bool // it runs in containers
}

// The programs.
var (
	confit = program{"confit", ".",
		"A tiny PID 1 that links ConfigMap and Secret keys to paths and turns their changes into checked reloads", containers, true}
	confitctl = program{"confitctl", "confitctl",
		"Hooks and metrics for confit: rollouts, templates, reloads by HTTP", containers, true}
	plugin = program{"kubectl-confit", "kubectl-confit",
		"Tell whether pods took an edit of a ConfigMap", desks, false}
	programs = []program{confit, confitctl, plugin}
)

// binary is a program's name for people who have it beside others.
func (p program) binary(on platform) string { return p.name + "-" + on.String() + on.extension() }

// extension is what the names of programs end with.
func (on platform) extension() string {
	if on.OS == "windows" {
		return ".exe"
	}
	return ""
}

// asked are those platforms of a program that are to be made.
func (r release) asked(p program) []platform {
	return slices.DeleteFunc(slices.Clone(p.platforms), func(on platform) bool {
		return len(r.only) > 0 && !slices.Contains(r.only, on.String())
	})
}

// checkOnly holds that each name is one of a platform.
func (r release) checkOnly() error {
	for _, name := range r.only {
		if !slices.ContainsFunc(slices.Concat(containers, desks), func(on platform) bool { return on.String() == name }) {
			return fmt.Errorf("cannot make anything for %q: it is none of %v", name, slices.Concat(containers, desks))
		}
	}
	return nil
}

// build makes one binary as make confit, make confitctl and make kubectl-confit
// make it.
func (r release) build(p program, on platform) error {
	variable := strings.ReplaceAll(strings.ToUpper(p.name), "-", "_")
	cmd := exec.Command("make", "--no-print-directory", "--silent", p.name, variable+"="+r.path(p.binary(on)))
	cmd.Env = append(environ(on), "GO="+r.goTool, "VERSION="+r.version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build for %s: %w\n%s", on, err, out)
	}
	return nil
}

// environ is that of Go when it builds for a platform.
func environ(on platform) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0", "GOOS="+on.OS, "GOARCH="+on.Architecture), baseline...)
}

// list asks Go for a program's packages or modules, one a line.
func (r release) list(p program, on platform, args ...string) ([]string, error) {
	cmd := exec.Command(r.goTool, append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, environ(on)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == '\n' }), err
}
