package linker

import (
	"fmt"
	"os"
	"path/filepath"
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
	tmp := filepath.Join(filepath.Dir(to), tmpName())
	err = os.WriteFile(tmp, program, 0o755)
	if err == nil {
		err = os.Chmod(tmp, 0o755) // whatever the umask
	}
	if err == nil {
		err = os.Rename(tmp, to)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("cannot install to %q: %w", to, cause(err))
	}
	return nil
}
