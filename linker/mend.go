package linker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxClosedDirs is how many nested directories of a generation may all be
// closed to confit. Each is opened before confit finds what is wrong below it.
const maxClosedDirs = 16

// mend makes a generation's directory what was written. The app's user, an
// entrypoint or a hook may have changed it. Files that differ or are missing
// come from the pack, strangers go, and modes and owners are set right, also of
// directories. The error says what can't be mended.
func (c *copies) mend(g *generation) error {
	for range maxClosedDirs {
		flaws, err := c.inspect(g)
		if err == nil && len(flaws) > 0 {
			err = c.mendFlaws(g, flaws)
		}
		if err != nil {
			return fmt.Errorf("cannot use generation %d: %w", g.Number, err)
		}
		if len(flaws) == 0 {
			return c.withDir(g, func(root *os.Root) error { c.mendPack(g, root); return nil })
		}
		c.log.Warn("generation mended: somebody had changed it", "generation", g.Number, "path", flaws[0].path, "changes", len(flaws))
	}
	return fmt.Errorf("cannot use generation %d: it changes while it is mended", g.Number)
}

// withDir calls do with the directory of a generation.
func (c *copies) withDir(g *generation, do func(root *os.Root) error) error {
	root, err := c.state.generations.OpenRoot(strconv.Itoa(g.Number))
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// mendFlaws mends what was found. Directories come first: confit may not have
// seen what is in them.
func (c *copies) mendFlaws(g *generation, flaws []flaw) error {
	if flaws[0].path == "." {
		return c.mendDir(g, flaws[0].kind)
	}
	return c.withDir(g, func(root *os.Root) error {
		if closed := filter(flaws, func(f flaw) bool { return f.kind == wrongDirAttributes }); len(closed) > 0 {
			return g.mendInPlace(root, closed)
		}
		lost := filter(flaws, func(f flaw) bool { return g.lost(f) })
		whole := filter(flaws, func(f flaw) bool { return !g.lost(f) })
		return errors.Join(g.mendInPlace(root, whole), c.restore(g, root, lost))
	})
}

// lost reports whether a file has to come from the pack.
func (g *generation) lost(f flaw) bool {
	_, file := g.files[f.path]
	return file && (f.kind == removed || f.kind == altered)
}

func filter(flaws []flaw, keep func(flaw) bool) []flaw {
	return slices.DeleteFunc(slices.Clone(flaws), func(f flaw) bool { return !keep(f) })
}

func (g *generation) mendInPlace(root *os.Root, flaws []flaw) error {
	for _, f := range flaws {
		if err := g.mendFlaw(root, f); err != nil {
			return err
		}
	}
	return nil
}

// mendFlaw mends what needs no pack.
func (g *generation) mendFlaw(root *os.Root, f flaw) error {
	switch f.kind {
	case added:
		return root.RemoveAll(string(f.path))
	case removed:
		return makeDirs(root, string(f.path))
	case wrongDirAttributes:
		return resetDir(root, string(f.path))
	}
	want := g.files[f.path]
	if err := root.Lchown(string(f.path), int(want.owner), int(want.group)); err != nil {
		return err
	}
	return chmodOpen(root, string(f.path), want.mode)
}

// mendDir mends the directory of a generation itself. What is wrong inside is
// found by the next look. Without a pack it doesn't make a directory, which
// would stay empty.
func (c *copies) mendDir(g *generation, kind flawKind) error {
	name := strconv.Itoa(g.Number)
	if kind == wrongDirAttributes {
		return resetDir(c.state.generations, name)
	}
	if err := c.checkPack(g); err != nil {
		return fmt.Errorf("its directory is gone, and its copy can't be used: %w", cause(err))
	}
	if err := c.state.generations.RemoveAll(name); err != nil {
		return err
	}
	return makeDir(c.state.generations, name)
}

// resetDir gives a directory confit's owner and the mode of a generation's
// directories.
func resetDir(root *os.Root, name string) error {
	if err := root.Lchown(name, os.Geteuid(), os.Getegid()); err != nil {
		return err
	}
	return chmodOpen(root, name, dirMode)
}

// restore puts files of a generation back, each by rename(2): a reader finds
// the old file or the restored one, whole.
func (c *copies) restore(g *generation, root *os.Root, lost []flaw) error {
	if len(lost) == 0 {
		return nil
	}
	pack, _, err := openRegular(c.state.packs, strconv.Itoa(g.Number))
	if err != nil {
		return fmt.Errorf("key %q is damaged, and its copy is missing: %w", lost[0].path, cause(err))
	}
	defer pack.Close()
	return c.unpack(g, pack, func(p Key, bytes io.Reader) error {
		if !slices.ContainsFunc(lost, func(f flaw) bool { return f.path == p }) {
			return nil
		}
		return c.restoreFile(root, string(p), g.files[p], bytes)
	})
}

func (c *copies) restoreFile(root *os.Root, p string, f file, bytes io.Reader) error {
	if err := makeDirs(root, path.Dir(p)); err != nil {
		return err
	}
	tmp := path.Join(path.Dir(p), tmpName())
	out, err := root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum, err := c.copySum(bytes, out)
	if err == nil && sum != f.sum {
		err = fmt.Errorf("key %q is damaged, and so is its copy", p)
	}
	err = errors.Join(err, setAttributes(raw(out.Fd()), f), out.Close())
	if err == nil {
		err = root.Rename(tmp, p)
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}

// A pack holds the bytes of all files of one generation, one after the other,
// in the order of their paths. Neither an app nor a hook looks where it lies. A
// generation is mended from its pack, once the pack's bytes have the right
// hash.

// packMode lets only confit's user read a pack: it holds keys of all modes.
const packMode = 0o600

// packBuffer is the size of the buffer that all packs share, in bytes. A larger
// write goes past it.
const packBuffer = 4 << 10

// pack writes the pack of a generation anew. fill writes the bytes.
func (c *copies) pack(g *generation, fill func(io.Writer) error) error {
	file, err := c.state.createPack(g.Number)
	if err != nil {
		return err
	}
	defer file.Close()
	if c.packer == nil {
		c.packer = bufio.NewWriterSize(nil, packBuffer)
	}
	c.packer.Reset(file)
	return errors.Join(fill(c.packer), c.packer.Flush())
}

func (s *stateDir) createPack(number int) (*os.File, error) {
	name := strconv.Itoa(number)
	const flags = os.O_CREATE | os.O_EXCL | os.O_WRONLY | unix.O_NONBLOCK // see writeFile
	f, err := s.packs.OpenFile(name, flags, packMode)
	if errors.Is(err, fs.ErrExist) {
		if err = s.packs.RemoveAll(name); err == nil {
			f, err = s.packs.OpenFile(name, flags, packMode)
		}
	}
	return f, err
}

// unpack calls do with each file of a pack until it fails.
func (c *copies) unpack(g *generation, pack *os.File, do func(path Key, bytes io.Reader) error) error {
	at := int64(0)
	for _, p := range g.paths() {
		size := g.files[p].size
		if err := do(p, io.NewSectionReader(pack, at, size)); err != nil {
			return err
		}
		at += size
	}
	return nil
}

// mendPack writes a damaged pack again, from files that are right. If that
// fails, on a full disk, no harm is done as long as the files stay right.
func (c *copies) mendPack(g *generation, root *os.Root) {
	if c.checkPack(g) == nil {
		return
	}
	if err := c.repack(g, root); err != nil {
		_ = c.state.packs.RemoveAll(strconv.Itoa(g.Number))
	}
}

// checkPack returns nil if the pack of a generation is whole.
func (c *copies) checkPack(g *generation) error {
	pack, info, err := openRegular(c.state.packs, strconv.Itoa(g.Number))
	if err != nil {
		return err
	}
	defer pack.Close()
	if info.Mode() != packMode || !ours(info) {
		return errors.New("others may read it")
	}
	return c.unpack(g, pack, func(p Key, bytes io.Reader) error {
		sum, err := c.copySum(bytes, io.Discard)
		if err == nil && sum != g.files[p].sum {
			err = fmt.Errorf("the copy of key %q is damaged", p)
		}
		return err
	})
}

// repack writes the pack again, from the files.
func (c *copies) repack(g *generation, root *os.Root) error {
	return c.pack(g, func(to io.Writer) error {
		for _, p := range g.paths() {
			in, _, err := openRegular(root, string(p))
			if err != nil {
				return err
			}
			_, err = c.copySum(in, to)
			in.Close()
			if err != nil {
				return err
			}
		}
		return nil
	})
}
