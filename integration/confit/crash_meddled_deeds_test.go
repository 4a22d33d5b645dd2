package confit

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"confit/integration/internal/harness"
)

// meddledNames are the names in the state directory: "all" are all at once, "the generation" is the live one, "its directory" and "its key"
// are below that.
var meddledNames = []string{
	"all", "generations", "the generation", "its directory", "its key", "live", "lock", "notify", "try", "note.json", "targets.json", "trial",
	"status.json",
}

// ways are what is done to a name: it goes, gets another name, or something else takes its place.
var ways = []string{"removed", "renamed", "made a file", "made a directory", "made a link", "mounted over"}

// keepsGeneration reports that a deed leaves the bytes of the live generation where they are.
func (d deed) keepsGeneration() bool {
	return !slices.Contains([]string{"all", "generations", "the generation", "its directory", "its key"}, d.name)
}

// aside is what the test has made of a name that it renamed.
const aside = ".meddled"

// paths are what a name stands for now.
func (b *meddled) paths(name string) []string {
	live, _ := os.Readlink(b.at("live"))
	generation := b.at("generations", filepath.Base(live))
	switch name {
	case "all":
		found, _ := filepath.Glob(b.at("*"))
		return found
	case "the generation":
		return []string{generation}
	case "its directory":
		return []string{filepath.Join(generation, "web")}
	case "its key":
		return []string{filepath.Join(generation, "web/text")}
	}
	return []string{b.at(name)}
}

// at is a path in the state directory.
func (b *meddled) at(elements ...string) string {
	return filepath.Join(append([]string{b.state}, elements...)...)
}

// stands reports whether a name is there in the moment of a deed. Something is on trial when it is live and not accepted, and in some containers
// before that. In a change that moves names come and go.
func (d deed) stands() bool {
	return d.moment != moves && (d.name != "trial" || d.moment == publishes || d.moment == proves)
}

// commit does a deed. What is mounted stays so until undo is called.
func (b *meddled) commit(d deed) (undo func()) {
	b.t.Helper()
	undo = func() {}
	paths := b.paths(d.name)
	if d.stands() && (len(paths) == 0 || !exists(paths[0])) {
		b.t.Fatalf("%v: there is none", d)
	}
	if d.way == "mounted over" {
		return b.mountOver(d.name)
	}
	for _, path := range paths {
		if err := meddleWith(path, d.way); err != nil && !slices.ContainsFunc(overtaken, func(by error) bool { return errors.Is(err, by) }) {
			b.t.Fatalf("%v: %v", d, err)
		}
	}
	return undo
}

// overtaken are the errors of a deed that confit has begun to put right before it was over.
var overtaken = []error{
	syscall.ENOENT, syscall.EEXIST, syscall.EISDIR, syscall.ENOTDIR, syscall.ENOTEMPTY, syscall.ELOOP, syscall.ENXIO,
}

func meddleWith(path, way string) error {
	switch way {
	case "removed":
		return os.RemoveAll(path)
	case "renamed":
		return os.Rename(path, path+aside)
	case "made a file":
		return errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte("strange"), 0o644))
	case "made a directory":
		return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "strange"), nil, 0o644))
	}
	err := os.Rename(path, path+aside) // and if there was nothing, the link leads nowhere
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.Symlink(filepath.Base(path)+aside, path))
}

// mountOver mounts another file system over a name, as the container sees it: an empty file over a file, and else an empty directory.
func (b *meddled) mountOver(name string) (undo func()) {
	b.t.Helper()
	path := b.at()
	if name != "all" {
		path = b.paths(name)[0]
	}
	script := `
if [ -L "$1" ] || ! [ -e "$1" ]; then rm -f "$1"; mkdir "$1"; fi
if [ -d "$1" ]; then mount -t tmpfs -o mode=755 tmpfs "$1"; else mount --bind "$2" "$1"; fi`
	harness.Eventually(b.t, "something mounted over "+path+", or the end of the container", func() bool { // confit may put right what it can first
		return b.c.Visit("-m", "-p", "sh", "-c", script, "sh", path, b.path("empty")).Run() == nil || !b.c.Alive()
	})
	return b.unmount
}

// unmount takes away what is mounted in the state directory. confit may have moved it.
func (b *meddled) unmount() {
	b.t.Helper()
	const script = `
while read -r _ _ _ _ at _; do case $at in "$1" | "$1"/*) umount -l "$at" ;; esac; done </proc/self/mountinfo
! grep -qF " $1" /proc/self/mountinfo`
	harness.Eventually(b.t, "nothing mounted in the state directory, or the end of the container", func() bool {
		return b.c.Visit("-m", "-p", "sh", "-c", script, "sh", b.state).Run() == nil || !b.c.Alive()
	})
}

// clear removes what the deed has left beside what is confit's.
func (b *meddled) clear() {
	for _, pattern := range []string{"*" + aside, "generations/*" + aside, "generations/*/*" + aside, "generations/*/*/*" + aside, ".confit-replaced-*"} {
		found, _ := filepath.Glob(b.at(pattern))
		for _, path := range found {
			_ = os.RemoveAll(path)
		}
	}
}
