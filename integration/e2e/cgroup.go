package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupRoot is where the kubelet makes its cgroups, so that they are not mixed up with those of another one.
const cgroupRoot = "/confit-e2e"

// room makes the cgroup that the kubelet works in, after a run that was killed has been tidied up. It returns what removes that,
// and all files of the node.
func (s settings) room() (tidy func() error, err error) {
	tidy = func() error { return errors.Join(removeCgroups(), os.RemoveAll(s.run(""))) }
	if err := errors.Join(tidy(), os.MkdirAll(s.run("log"), 0o755)); err != nil {
		return nil, err
	}
	if err := makeCgroups(); err != nil {
		return nil, errors.Join(err, tidy())
	}
	return tidy, nil
}

// hierarchies are the mounted cgroup trees: each controller's of version 1, or the one of version 2.
func hierarchies() []string {
	const top = "/sys/fs/cgroup"
	if isCgroup(top) {
		return []string{top}
	}
	all, _ := filepath.Glob(top + "/*")
	return slices.DeleteFunc(all, func(dir string) bool { return !isCgroup(dir) })
}

func isCgroup(dir string) bool {
	var found unix.Statfs_t
	err := unix.Statfs(dir, &found)
	return err == nil && (found.Type == unix.CGROUP_SUPER_MAGIC || found.Type == unix.CGROUP2_SUPER_MAGIC)
}

func makeCgroups() error {
	for _, top := range hierarchies() {
		if err := os.Mkdir(top+cgroupRoot, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cannot make a cgroup: %w", err)
		}
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} { // version 1 starts with none
			text, err := os.ReadFile(filepath.Join(top, file))
			if err == nil {
				err = os.WriteFile(filepath.Join(top+cgroupRoot, file), text, 0o644)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot set up a cgroup: %w", err)
			}
		}
	}
	return nil
}

// removeCgroups removes the trees, deepest first. The last process of a group may need a moment to be gone from it.
func removeCgroups() error {
	var wrong error
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		wrong = nil
		for _, top := range hierarchies() {
			var dirs []string
			_ = filepath.WalkDir(top+cgroupRoot, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && entry.IsDir() {
					dirs = append(dirs, path)
				}
				return nil
			})
			for _, dir := range slices.Backward(dirs) {
				if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
					wrong = errors.Join(wrong, err)
				}
			}
		}
		if wrong == nil {
			return nil
		}
	}
	return fmt.Errorf("cannot remove cgroups: %w", wrong)
}
