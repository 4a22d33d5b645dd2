package harness

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Key is the content of one key as the kubelet's writer takes it.
type Key struct {
	Data string `json:"data"`
	Mode int    `json:"mode"`
}

// Volume is a directory that the kubelet's own AtomicWriter writes. Nothing is in it before the first write.
type Volume struct {
	Dir    string
	writer *Companion
}

// OpenVolume starts a kubelet, which BuildKubelet built, for a directory that exists. Close ends it.
func OpenVolume(kubelet, dir string, flags ...string) (*Volume, error) {
	cmd := exec.Command(kubelet, append(flags, "--stdin", dir)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the end of a login is none of its business
	writer, err := Accompany(cmd)
	return &Volume{dir, writer}, err
}

// Write swaps the volume to these keys, as one sync of the kubelet does.
func (v *Volume) Write(keys map[string]Key) error {
	payload, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		return err
	}
	if err := v.writer.Tell(payload); err != nil {
		return err
	}
	return v.writer.Expect("ok")
}

// Empty tears the volume down, as the kubelet does after a failed write (kubernetes#113242).
func (v *Volume) Empty() error {
	entries, err := os.ReadDir(v.Dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(v.Dir, e.Name())))
	}
	return err
}

// Close ends the writer. What it wrote stays.
func (v *Volume) Close() error { return v.writer.End() }
