package volume_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/volume"
)

// step is one payload written into a volume that the steps before it left behind.
type step struct {
	name    string
	disturb func(dir string) error // done to the volume beforehand
	payload volume.Payload
	want    outcome
}

// outcome says what a step comes to, so that two writers that both do nothing don't pass as equal.
type outcome string

const (
	swapped outcome = "swapped" // ..data was renamed over
	kept    outcome = "kept"    // no error, and no swap
	failed  outcome = "failed"  // an error
)

var steps = []step{
	{name: "first write", payload: volume.Strings("a.conf", "1", "b.conf", "1"), want: swapped},
	{name: "change", payload: volume.Strings("a.conf", "2", "b.conf", "1"), want: swapped},
	{name: "add", payload: volume.Strings("a.conf", "2", "b.conf", "1", "c.conf", "1", "d.conf", ""), want: swapped},
	{name: "remove", payload: volume.Strings("a.conf", "2"), want: swapped},
	{name: "change, add, remove", payload: volume.Strings("b.conf", "1", "c.conf", "1"), want: swapped},
	{name: "same bytes", payload: volume.Strings("b.conf", "1", "c.conf", "1"), want: kept},
	{name: "other mode, same bytes", payload: volume.Payload{"b.conf": {[]byte("1"), 0o600}, "c.conf": {[]byte("1"), 0}}, want: kept},
	{name: "other mode, other bytes", payload: volume.Payload{"b.conf": {[]byte("2"), 0o600}, "c.conf": {nil, 0o444}}, want: swapped},

	{name: "nested add", payload: volume.Strings("b.conf", "2", "sub/d", "1", "sub/e", "1"), want: swapped},
	{name: "deeper add", payload: volume.Strings("b.conf", "2", "sub/d", "1", "sub/deep/er/f", "1"), want: swapped},
	{name: "nested remove", payload: volume.Strings("b.conf", "2", "sub/deep/er/f", "1"), want: swapped},
	{name: "nested same bytes", payload: volume.Strings("b.conf", "2", "sub//deep/./er/f", "1"), want: kept},
	{name: "directory removed", payload: volume.Strings("b.conf", "2"), want: swapped},
	{name: "empty payload", payload: volume.Payload{}, want: swapped},
	{name: "empty payload again", payload: volume.Payload{}, want: kept},
	{name: "from empty", payload: volume.Strings("a.conf", "1", "sub/d", "1"), want: swapped},

	{name: "directory becomes key", payload: volume.Strings("sub", "1"), want: failed},
	{name: "visible link lost, same bytes", disturb: remove("a.conf"), payload: volume.Strings("a.conf", "1", "sub/d", "1"), want: kept},
	{name: "visible link lost, key removed", disturb: remove("a.conf"), payload: volume.Strings("sub/d", "1"), want: failed},
	{name: "visible name taken", disturb: put("z.conf"), payload: volume.Strings("sub/d", "1", "z.conf", "1"), want: swapped},
	{name: "leftover ..data_tmp", disturb: put("..data_tmp"), payload: volume.Strings("a.conf", "3", "sub/d", "1"), want: failed},
	{name: "and it removed", disturb: remove("..data_tmp"), payload: volume.Strings("a.conf", "3", "sub/d", "1"), want: swapped},
	{name: "..data dangles", disturb: loseData, payload: volume.Strings("a.conf", "3"), want: swapped},
	{name: "..data is lost", disturb: remove("..data"), payload: volume.Strings("a.conf", "3"), want: swapped},
	{name: "..data is a file", disturb: both(remove("..data"), put("..data")), payload: volume.Strings("a.conf", "4"), want: failed},

	{name: "refused empty", payload: volume.Strings("", "1"), want: failed},
	{name: "refused absolute", payload: volume.Strings("/a.conf", "1"), want: failed},
	{name: "refused parent", payload: volume.Strings("../a.conf", "1"), want: failed},
	{name: "refused inner parent", payload: volume.Strings("sub/../a.conf", "1"), want: failed},
	{name: "refused reserved", payload: volume.Strings("..a.conf", "1"), want: failed},
	{name: "refused long name", payload: volume.Strings(strings.Repeat("a", 256), "1"), want: failed},
	{name: "refused long path", payload: volume.Strings(strings.Repeat("a/", 2048)+"a", "1"), want: failed},
}

// TestSameCallsAsTheKubelet runs the kubelet's writer and ours under strace, step by step, on a volume each, and compares
// the calls that change something, in their order, failing ones included, and then what is in the volumes.
func TestSameCallsAsTheKubelet(t *testing.T) {
	program := kubelet(t)
	theirs, ours := newVolume(t), newVolume(t)
	for _, s := range steps {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			line := encode(t, s.payload)
			want := observe(t, theirs, s, line, nil, program, "--stdin", theirs)
			got := observe(t, ours, s, line, oursIn(ours), testBinary(t))
			if want.outcome != s.want {
				t.Fatalf("the kubelet's writer: %s, want %s\n%s", want.outcome, s.want, want.output)
			}
			if got.outcome != want.outcome {
				t.Errorf("outcome: ours %s, the kubelet's %s\n%s\n%s", got.outcome, want.outcome, got.output, want.output)
			}
			compareLines(t, "calls", got.calls, want.calls)
			compareLines(t, "volume", got.tree, want.tree)
			t.Logf("%s:\n\t%s", want.outcome, strings.Join(want.calls, "\n\t"))
		})
	}
}

// TestCallsOfOneSwap spells the sequence out once, as documentation and as proof that the trace is read properly.
func TestCallsOfOneSwap(t *testing.T) {
	for _, writer := range []string{"kubelet", "ours"} {
		t.Run(writer, func(t *testing.T) {
			dir := newVolume(t)
			write(t, dir, volume.Strings("a.conf", "1", "b.conf", "1"))
			line := encode(t, volume.Strings("a.conf", "2", "sub/d", "1"))
			argv, env := []string{testBinary(t)}, oursIn(dir)
			if writer == "kubelet" {
				argv, env = []string{kubelet(t), "--stdin", dir}, nil
			}
			compareLines(t, "calls", observe(t, dir, step{}, line, env, argv...).calls, []string{
				`mkdirat ..NEW 0700`,
				`fchmodat ..NEW 0755`,
				`openat ..NEW/a.conf O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC 0644`,
				`write ..NEW/a.conf "2" 1`,
				`fchmodat ..NEW/a.conf 0644`,
				`mkdirat ..NEW/sub 0777`,
				`openat ..NEW/sub/d O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC 0644`,
				`write ..NEW/sub/d "1" 1`,
				`fchmodat ..NEW/sub/d 0644`,
				`symlinkat "..NEW" ..data_tmp`,
				`renameat ..data_tmp ..data`,
				`symlinkat "..data/sub" sub`,
				`unlinkat b.conf 0`,
				`unlinkat ..OLD 0 = EISDIR`,
				`unlinkat ..OLD AT_REMOVEDIR = ENOTEMPTY`,
				`unlinkat ..OLD 0 = EISDIR`,
				`unlinkat ..OLD AT_REMOVEDIR`,
				`unlinkat ..OLD/a.conf 0`,
				`unlinkat ..OLD/b.conf 0`,
			})
		})
	}
}

// newVolume makes an empty volume; its path has no symlinks in it, as strace shows descriptors by their true path.
func newVolume(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes p with our writer in this process.
func write(t *testing.T, dir string, p volume.Payload) {
	t.Helper()
	if err := volume.Write(dir, p); err != nil {
		t.Fatal(err)
	}
}

// testBinary is the program that is our writer, under the environment of oursIn.
func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func remove(name string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func put(name string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte("foreign"), 0o644) }
}

func both(a, b func(string) error) func(string) error {
	return func(dir string) error {
		if err := a(dir); err != nil {
			return err
		}
		return b(dir)
	}
}

// loseData removes the directory that ..data names.
func loseData(dir string) error {
	name, err := os.Readlink(filepath.Join(dir, "..data"))
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, name))
}
