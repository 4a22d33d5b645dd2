package linker

import (
	"fmt"
	"os"
	"path/filepath"

	"confit/linker/files"
	"confit/linker/safedir"
)

// Install copies the running program to a file. A container that starts it at the same moment finds the old or the new one.
func Install(to string) error {
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return fmt.Errorf("cannot install to %q: it is a directory; write the file, such as %q", to, filepath.Join(to, "confit"))
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("cannot read this program: %w", err)
	}
	var dir *safedir.Dir
	if to, err = filepath.Abs(to); err == nil {
		dir, err = safedir.Open(filepath.Dir(to), false)
	}
	if err == nil {
		defer dir.Close()
		err = dir.Put(filepath.Base(to), safedir.Bytes(program, 0o755))
	}
	if err != nil {
		return fmt.Errorf("cannot install to %q: %w", to, files.Cause(err))
	}
	return nil
}
