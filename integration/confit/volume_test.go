package confit

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// keys are the contents of a volume by key.
type keys map[string]string

// file is one key as the kubelet's writer takes it.
type file struct {
	Data string
	Mode int
}

// volume is one mounted volume, and the kubelet's own AtomicWriter behind it.
type volume struct {
	*harness.Volume
	t   *testing.T
	dir string
}

// volume mounts one below --volumes. Nothing is in it before the first swap.
func (s *setup) volume(name string) *volume {
	s.t.Helper()
	return newVolume(s.t, s.mkdir("volumes", name))
}

func newVolume(t *testing.T, dir string, flags ...string) *volume {
	t.Helper()
	v, err := harness.OpenVolume(programs.kubelet, dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Errorf("the kubelet's writer: %v", err)
		}
	})
	return &volume{v, t, dir}
}

// swap writes the volume, as one sync of the kubelet does.
func (v *volume) swap(k keys) {
	v.t.Helper()
	files := map[string]file{}
	for name, data := range k {
		files[name] = file{Data: data, Mode: 0o644}
	}
	v.swapFiles(files)
}

func (v *volume) swapFiles(files map[string]file) {
	v.t.Helper()
	if err := v.write(files); err != nil {
		v.t.Fatal(err)
	}
}

// write is for other goroutines than the test's own.
func (v *volume) write(files map[string]file) error {
	keys := map[string]harness.Key{}
	for name, f := range files {
		keys[name] = harness.Key(f)
	}
	return v.Write(keys)
}

// swapRaw swaps to a state that the kubelet's writer would never write: change gets a new directory with the keys in it.
func (v *volume) swapRaw(k keys, change func(dir string) error) {
	v.t.Helper()
	name := "..raw" + strconv.FormatInt(time.Now().UnixNano(), 10)
	dir := filepath.Join(v.dir, name)
	err := os.Mkdir(dir, 0o755)
	for key, data := range k {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(dir, key)), 0o755),
			os.WriteFile(filepath.Join(dir, key), []byte(data), 0o644))
	}
	err = errors.Join(err, change(dir), v.point(name))
	if err != nil {
		v.t.Fatal(err)
	}
}

// point swaps `..data` to a name, which need not exist.
func (v *volume) point(name string) error {
	temporary := filepath.Join(v.dir, "..data_tmp")
	return errors.Join(os.Symlink(name, temporary), os.Rename(temporary, filepath.Join(v.dir, "..data")))
}

// empty tears the volume down.
func (v *volume) empty() {
	v.t.Helper()
	if err := v.Empty(); err != nil {
		v.t.Fatal(err)
	}
}

// lookTime is when `..data` was followed last, where the mount keeps account of it.
func (v *volume) lookTime() time.Time {
	v.t.Helper()
	info, err := os.Lstat(filepath.Join(v.dir, "..data"))
	if err != nil {
		v.t.Fatal(err)
	}
	at := info.Sys().(*syscall.Stat_t).Atim
	return time.Unix(at.Unix())
}

// looksAt returns when confit has surely looked at a volume's present state and done with it what it will ever do: it has
// followed `..data` many times since. One look may do so more than once, and one that began before the call may start
// over; but so often, at moments that the kernel's clock tells apart (4 ms), it is only done by several looks in a row,
// and each of them begins after the decision about the one before. It needs StrictAtime, and a short --rescan.
func (c *confit) looksAt(v *volume) {
	c.t.Helper()
	for range 8 {
		before := v.lookTime()
		c.Eventually("a look at "+v.dir, func() bool { return v.lookTime().After(before) })
	}
}
