package linker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/way"
)

// Install copies the running program to a file, by rename, so that a container
// that starts it at the same moment finds the old or the new.
func Install(to string) error {
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return fmt.Errorf("cannot install to %q: it is a directory; write the file, such as %q", to, filepath.Join(to, "confit"))
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("cannot read this program: %w", err)
	}
	if to, err = filepath.Abs(to); err == nil {
		err = install(program, to)
	}
	if err != nil {
		return fmt.Errorf("cannot install to %q: %w", to, files.Cause(err))
	}
	return nil
}

// install writes a new file in the directory that it has opened. It sets the mode
// through the descriptor: who may write there can put another file in its place.
func install(program []byte, to string) error {
	d, err := way.Open(filepath.Dir(to), false)
	if err != nil {
		return err
	}
	defer d.Close()
	tmp := files.TmpName()
	f, err := d.OpenFile(tmp, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(program)
	err = errors.Join(err, f.Chmod(0o755), f.Close()) // whatever the umask
	if err == nil {
		err = d.Rename(tmp, filepath.Base(to), 0)
	}
	if err != nil {
		_ = d.Remove(tmp)
	}
	return err
}
