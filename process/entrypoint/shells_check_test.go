//go:build check

package entrypoint

import "testing"

// TestShells_busybox asks the shell of busybox.
func TestShells_busybox(t *testing.T) {
	askShells(t, map[string][]string{"busybox": {"busybox", "sh"}})
}
