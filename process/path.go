package process

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"confit/process/entrypoint"
)

// self is the file of this program, even if that was removed.
const self = "/proc/self/exe"

// lookPath finds a program as execvp(3) does: a name with a slash is a path, and any other one is
// looked for in the PATH of env. A file that may not be executed is an error only if no later
// directory has one that may. os/exec would add 290 kB, and is a second caller of wait.
func lookPath(name string, env []string, dir string) (string, error) {
	if name == "" {
		return "", fs.ErrNotExist
	}
	if strings.Contains(name, "/") {
		return name, executable(inDir(dir, name))
	}
	missing := fmt.Errorf("%w in PATH", unix.ENOENT)
	for d := range strings.SplitSeq(pathOf(env), ":") {
		path := inDir(dir, filepath.Join(d, name)) // an empty element is the current directory
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if err == unix.EACCES {
			missing = err
		}
	}
	return "", missing
}

// pathOf is the PATH of an environment: the first entry, as in getenv(3), or else the value that
// most images set.
func pathOf(env []string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			return v
		}
	}
	return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

// inDir is what a path means in the directory dir.
func inDir(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// executable is nil for a regular file that the effective user may execute.
func executable(path string) error {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return unix.EACCES
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
}

// Fronts returns a function that names the shell, and its script, which would stay in front of an
// app only to wait for its last command; "": none would. It starts nothing.
func Fronts(env []string) func(args []string) string {
	proc := entrypoint.NewProc("/proc", "", pathOf(env))
	find := func(program string) string {
		path, _ := lookPath(program, env, "")
		return path
	}
	return func(args []string) string {
		if found := proc.Foretell(args, find); found.Fronts {
			return found.Words
		}
		return ""
	}
}
