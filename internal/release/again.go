package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// here is this machine's platform.
var here = platform{runtime.GOARCH, runtime.GOOS}

// again checks what was made, and that a second run makes the same of a copy of
// the source, elsewhere and with an empty build cache. Only this machine's
// platform is built anew, as all would take half an hour.
func (r release) again() error {
	if err := r.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "confit-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	second := r
	second.out = filepath.Join(dir, "out")
	if err := second.elsewhere(dir); err != nil {
		return err
	}
	names, err := second.made(krewName) // which lists all platforms, and was checked
	if err != nil {
		return err
	}
	fmt.Println("comparing", strings.Join(names, " "))
	for _, name := range names {
		if err := same(r.path(name), second.path(name)); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere runs this program in a copy of the source below dir.
func (r release) elsewhere(dir string) error {
	source := filepath.Join(dir, "source")
	if err := copySource(source); err != nil {
		return err
	}
	cmd := exec.Command(r.goTool, "run", "./internal/release", "-platforms", here.String(), "-url", r.url, "-version", r.version, "-revision", r.revision, "-out", r.out)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot make it again: %w\n%s", err, out)
	}
	return nil
}

// copySource leaves out what isn't source, and git, so that nothing can be
// asked of it.
func copySource(to string) error {
	entries, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	args := []string{"-a", "--target-directory", to}
	for _, e := range entries {
		if !slices.Contains([]string{".git", "bin", "dist"}, e.Name()) {
			args = append(args, e.Name())
		}
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	return exec.Command("cp", args...).Run()
}

func same(first, second string) error {
	a, err := os.ReadFile(first)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(second)
	if err == nil && !bytes.Equal(a, b) {
		err = fmt.Errorf("%s is not reproducible: a second run makes something else", first)
	}
	return err
}

// check holds that every binary is what its name says, and that this machine's
// says its version.
func (r release) check() error {
	for _, p := range programs {
		for _, on := range r.asked(p) {
			if err := r.checkBinary(p, on); err != nil {
				return err
			}
		}
	}
	return errors.Join(r.checkKrew(), r.checkSums())
}

func (r release) checkBinary(p program, on platform) error {
	path := r.path(p.binary(on))
	if err := checkPlatform(path, on); err != nil {
		return err
	}
	if on.OS == "linux" {
		if err := checkStatic(path); err != nil {
			return err
		}
	}
	if on != here {
		return nil
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return fmt.Errorf("cannot ask %s for its version: %w", p.name, err)
	}
	called := strings.ReplaceAll(p.name, "-", " ") // as kubectl calls its plugins
	if said := string(out); !strings.HasPrefix(said, called+" ") || !strings.HasSuffix(said, " "+r.version+"\n") {
		return fmt.Errorf("%s says that it is %q, not %s", p.name, out, r.version)
	}
	return nil
}

// checkPlatform holds that a binary is for this platform, and needs no compiler's
// library of it.
func checkPlatform(path string, on platform) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	is := map[string]string{}
	for _, setting := range info.Settings {
		is[setting.Key] = setting.Value
	}
	if is["GOOS"] != on.OS || is["GOARCH"] != on.Architecture || is["CGO_ENABLED"] != "0" {
		return fmt.Errorf("%s is for %s-%s with CGO_ENABLED=%s", path, is["GOOS"], is["GOARCH"], is["CGO_ENABLED"])
	}
	return nil
}

// checkStatic holds that a binary asks for no loader and no library.
func checkStatic(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s is not static: it has %v", path, p.Type)
		}
	}
	return nil
}
