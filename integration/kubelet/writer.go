package main

import (
	"errors"
	"fmt"
	"os"

	"confit/integration/kubelet/util"
)

// volumeWriter writes payloads into one volume as the plugins for ConfigMaps, Secrets and projected volumes do
// (SetUpAt in pkg/volume/configmap/configmap.go and its two siblings).
type volumeWriter struct {
	dir     string
	fsGroup *int64
	atomic  *util.AtomicWriter
}

// openVolume returns a writer for the volume dir, which must exist.
func openVolume(dir string, fsGroup *int64) (*volumeWriter, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the volume %q: %w", dir, err)
	}
	atomic, err := util.NewAtomicWriter(dir, "volume "+dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the volume %q: %w", dir, err)
	}
	return &volumeWriter{dir: dir, fsGroup: fsGroup, atomic: atomic}, nil
}

// write makes p the volume's content, in one swap.
func (v *volumeWriter) write(p payload) error {
	if err := v.atomic.Write(p, v.setPerms); err != nil {
		return fmt.Errorf("cannot write the volume %q: %w", v.dir, err)
	}
	return nil
}

// setPerms is what the plugins pass to the writer. It ignores the name of the new directory and goes over the whole volume,
// old directory and root included; without a group it does nothing.
func (v *volumeWriter) setPerms(string) error {
	if v.fsGroup == nil {
		return nil
	}
	return util.ChangeOwnership(v.dir, *v.fsGroup)
}
