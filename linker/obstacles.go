package linker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/statedir"
	"confit/linker/target"
	"confit/linker/volume"
)

// checkTargets refuses targets that can't be linked.
func (e *explanation) checkTargets(keys []volume.Key) {
	wanted, err := e.wanted(keys)
	e.fail(err)
	optional := map[Target]target.Want{}
	for i := range e.links {
		s := &e.links[i]
		if _, known := wanted[s.Target]; !s.Single() || known {
			continue
		}
		into := wanted
		if s.Optional {
			into = optional
		}
		into[s.Target] = bakedWant(s, e.state)
	}
	e.checkPlan(wanted, e.fail)
	e.checkPlan(optional, func(err error) {
		if err != nil {
			e.notef("%v; a start goes well until the optional key is there", err)
		}
	})
}

func (e *explanation) checkPlan(wanted map[Target]target.Want, refuse func(error)) {
	steps, err := e.targets.Plan(wanted)
	refuse(err)
	for _, s := range steps {
		e.checkDir(filepath.Dir(string(s.Target)), refuse)
	}
}

// checkVariables refuses keys that can't be variables by their names.
func (e *explanation) checkVariables(keys []volume.Key) {
	g := generation.Copy{Files: map[Key]generation.File{}}
	for _, k := range keys {
		f := g.Files[k.Path]
		f.Links = append(f.Links, k.Link)
		g.Files[k.Path] = f
	}
	variables, err := e.variables(&g)
	e.fail(err)
	for _, name := range files.SortedKeys(variables) {
		if !isShellName(name) {
			e.notef("key %q becomes variable %q, which no shell can read: only letters, digits and _ can", variables[name], name)
		}
	}
}

// isShellName reports a name as the Shell Command Language has it, 3.235 Name.
func isShellName(name string) bool {
	for i, r := range name {
		if r != '_' && (r|0x20 < 'a' || r|0x20 > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// checkState finds out whether the state directory can be used. It need not be there yet.
func (e *explanation) checkState() {
	dir := e.state.Path
	err := unix.Faccessat(unix.AT_FDCWD, files.AsDir(dir), unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	switch {
	case err == nil, err == unix.ENOENT:
	case err == unix.ENOTDIR, e.config.Pod:
		e.fail(statedir.Unusable(dir, err))
	default:
		e.notef("%v", statedir.Unusable(dir, err))
	}
}

// checkDir finds out whether a target can be made in a directory. It need not be there yet.
func (e *explanation) checkDir(dir string, refuse func(error)) {
	err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	switch {
	case err == nil && !isKernels(dir):
	case err == nil:
		refuse(fmt.Errorf("cannot link targets in %q: it is the kernel's, and has no place for links; write another target", dir))
	case err == unix.ENOENT && dir != "/":
		above := filepath.Dir(dir)
		if to, err := os.Readlink(dir); err == nil {
			e.notef("directory %q is a symlink to %q, where nothing is: a start makes a directory there", dir, to)
			if above = filepath.Join(above, to); filepath.IsAbs(to) {
				above = to
			}
		}
		e.checkDir(above, refuse)
	default:
		err = fmt.Errorf("cannot link targets in %q: %w%s", dir, err, target.ReadOnlyHint(err))
		if e.config.Pod {
			refuse(err)
		} else {
			e.notef("%v", err)
		}
	}
}

// isKernels reports a directory of a file system in which nobody can make a symlink, whatever its mode says.
func isKernels(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && slices.Contains([]int64{
		unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEVPTS_SUPER_MAGIC,
	}, int64(st.Type))
}
