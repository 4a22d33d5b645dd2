package linker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

func TestStageSizeLimit(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b", "web/c c direct")
	h.write("web", "a", strings.Repeat("a", 600), "b", strings.Repeat("b", 600), "c", strings.Repeat("c", 6000))
	h.open()
	h.linker.reader.MaxSize = 1000
	h.invalid("hold more than", `key "b"`, "direct")
}

// TestStageKeyThatGrows: what was small when it was looked at isn't read, or
// copied, beyond the limit.
func TestStageKeyThatGrows(t *testing.T) {
	h := newFixture(t, "plain/a a", "plain/b b")
	dir := h.plain("plain", "a", "one", "b", "two")
	h.open()
	r, err := h.linker.reader.Look()
	h.must(err)
	defer r.Close()
	h.must(os.Truncate(filepath.Join(dir, "b"), 1<<40))
	var bad *Invalid
	if _, err := h.linker.read(r); !errors.As(err, &bad) || !strings.Contains(err.Error(), `more than 64 MiB, with key "b"`) {
		t.Errorf("read: %v", err)
	}
	h.must(os.Truncate(filepath.Join(dir, "b"), 3))
	g, err := h.linker.read(r)
	h.must(err)
	h.must(os.Truncate(filepath.Join(dir, "b"), 1<<40))
	if _, err := h.linker.write(g, r, nil, Hash{}); !errors.Is(err, files.ErrMoved) {
		t.Errorf("written: %v", err)
	}
	h.invalid("more than 64 MiB", `key "b"`, "direct")
}

// TestStageDirectKeyThatGrows: one that is larger than the limit is read to the
// size that it had, so one that grows without end is given up.
func TestStageDirectKeyThatGrows(t *testing.T) {
	h := newFixture(t, "plain/a a direct")
	a := filepath.Join(h.plain("plain", "a", "one"), "a")
	h.open()
	h.linker.reader.MaxSize = 10
	h.must(os.Truncate(a, 1000))
	h.adopt()
	h.must(os.Truncate(a, 2000))
	r, err := h.linker.reader.Look()
	h.must(err)
	defer r.Close()
	h.must(os.Truncate(a, 1<<40))
	if _, err := h.linker.read(r); !errors.Is(err, files.ErrMoved) {
		t.Errorf("read: %v", err)
	}
}

// TestStageSizesThatOverflow: the sum of sizes is none.
func TestStageSizesThatOverflow(t *testing.T) {
	h := newFixture(t, "plain/a a", "plain/b b")
	dir := h.plain("plain", "a", "one", "b", "two")
	for _, name := range []string{"a", "b"} {
		h.must(os.Truncate(filepath.Join(dir, name), 1<<43))
	}
	h.open()
	h.invalid("more than 64 MiB", `key "a"`)
}

// TestStageFileWithoutSize: files of proc(5) have the size 0 and bytes all the
// same, those of sysfs fewer than their size; both are read to their end.
func TestStageFileWithoutSize(t *testing.T) {
	h := newFixture(t, "x proc", "x sys")
	h.config.Links[0].Source, h.config.Links[1].Source = "/proc/sys/kernel/ostype", "/sys/kernel/mm/transparent_hugepage/enabled"
	want, err := os.ReadFile(h.config.Links[1].Source)
	h.must(err)
	h.open()
	h.adopt()
	h.reads("proc", "Linux\n", "sys", string(want))
}

// without takes a capability from the test's thread, as a pod's securityContext
// takes it from the container.
func without(t *testing.T, capability int) {
	t.Helper()
	runtime.LockOSThread() // for ever: the thread ends with the test
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		t.Fatal(err)
	}
	data[0].Effective &^= 1 << capability
	if err := unix.Capset(&header, &data[0]); err != nil {
		t.Fatal(err)
	}
}

// wantCopy checks mode, owner and group of what an app finds.
func (h *fixture) wantCopy(target string, mode os.FileMode, owner, group uint32) {
	h.Helper()
	info, err := os.Stat(h.path("etc", target))
	h.must(err)
	if st := info.Sys().(*syscall.Stat_t); info.Mode() != mode || st.Uid != owner || st.Gid != group {
		h.Errorf("%s is %v of %d:%d, want %v of %d:%d", target, info.Mode(), st.Uid, st.Gid, mode, owner, group)
	}
}

// owned makes a volume whose keys belong to 1234:2345.
func (h *fixture) owned(modes map[string]os.FileMode) {
	h.Helper()
	for name, mode := range modes {
		path := filepath.Join(h.plain("web", name, "x"), name)
		h.must(os.Chmod(path, mode))
		h.must(os.Chown(path, 1234, 2345))
	}
}

var modesOfKeys = map[string]os.FileMode{"secret": 0o600, "group": 0o640, "config": 0o644, "others": 0o604, "exec": 0o751}

// TestAttributesOfTheSource: copies have its owner, group and mode, but nobody may
// write to them.
func TestAttributesOfTheSource(t *testing.T) {
	for name, capability := range map[string]int{"all capabilities": unix.CAP_SYS_TIME, "no CAP_FOWNER": unix.CAP_FOWNER} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/ web/")
			h.owned(modesOfKeys)
			h.open()
			without(t, capability)
			h.adopt()
			for name, mode := range modesOfKeys {
				h.wantCopy("web/"+name, mode&^0o222, 1234, 2345)
			}
		})
	}
}

// TestAttributesNeverMoreReadable: where copies can't be given away they are
// confit's own, and confit's group may do no more with them than everybody; that
// is so for a confit that starts again, too.
func TestAttributesNeverMoreReadable(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.owned(modesOfKeys)
	h.open()
	without(t, unix.CAP_CHOWN)
	first := h.adopt()
	want := map[string]os.FileMode{"secret": 0o400, "group": 0o400, "config": 0o444, "others": 0o404, "exec": 0o511}
	for name, mode := range want {
		h.wantCopy("web/"+name, mode, 0, 0)
	}
	h.must(h.linker.WriteNote(h.note))
	h.restart().wantAccepted(first.Number)
	if c := h.stage(); lifeless(c.Generation) != lifeless(first.Generation) {
		t.Errorf("staged %v, want the accepted one, %v", c.Generation, first.Generation)
	}
	h.noLeftovers()
}

// TestAttributesInADirectoryWithAGroup: an emptyDir of a pod with fsGroup gives its
// group to what is made in it, but not to the copies, which are deeper.
func TestAttributesInADirectoryWithAGroup(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.owned(modesOfKeys)
	h.must(os.MkdirAll(h.path("state/generations"), 0o755))
	for _, dir := range []string{"state", "state/generations"} {
		h.must(os.Chown(h.path(dir), 0, 2345))
		h.must(os.Chmod(h.path(dir), 0o755|os.ModeSetgid))
	}
	h.open()
	without(t, unix.CAP_CHOWN)
	h.adopt()
	h.wantCopy("web/group", 0o400, 0, 0)
	h.wantCopy("web/config", 0o444, 0, 0)
}

// TestStageSizes: keys are held from the hash until they are written, or read
// twice, by their size and by how much is held already. It makes no difference to
// what is written.
func TestStageSizes(t *testing.T) {
	h := newFixture(t, "web/* .")
	const maxHeld, maxAllHeld = 4 << 10, 1 << 20
	var want []string
	for i := range 2*maxAllHeld/maxHeld + 10 {
		size := maxHeld - 4 + i%9 // some too large to be held
		want = append(want, fmt.Sprint("k", i), strings.Repeat(string(rune('a'+i%26)), size))
	}
	want = append(want, "empty", "", "large", strings.Repeat("x", 48<<10))
	h.config.Links[0].Target = Target(h.path("etc") + "/")
	h.write("web", want...)
	h.open().adopt()
	h.reads(want...)
	h.must(h.linker.WriteNote(h.note))
	if err := h.restart().former.Untrusted; err != nil || strings.Contains(h.said.String(), "restored") { // which reads them all
		t.Errorf("written otherwise: %v\n%s", err, h.said.String())
	}
}

// TestMovedBehindData: a look of atomic volumes is over when ..data leads
// elsewhere, and when something has changed behind it: the kubelet removes the old
// directory file by file.
func TestMovedBehindData(t *testing.T) {
	for what, move := range map[string]func(h *fixture){
		"nothing":      func(*fixture) {},
		"a swap":       func(h *fixture) { h.write("web", "a", "two", "b", "x") },
		"a swap back":  func(h *fixture) { h.write("web", "a", "two", "b", "x"); h.write("web", "a", "one", "b", "x") },
		"a removal":    func(h *fixture) { h.must(os.Remove(h.path("volumes/web/..data/b"))) },
		"no more data": func(h *fixture) { h.must(os.Remove(h.path("volumes/web/..data"))) },
		"no volume":    func(h *fixture) { h.must(os.Rename(h.path("volumes/web"), h.path("volumes/old"))) },
		"another one":  func(h *fixture) { h.write("tls", "k", "two") },
	} {
		h := newFixture(t, "web/a a", "tls/k k")
		h.write("web", "a", "one", "b", "x")
		h.write("tls", "k", "one")
		r, err := h.open().linker.reader.Look()
		h.must(err)
		move(h)
		if err, want := r.CheckUnmoved(), what != "nothing"; errors.Is(err, files.ErrMoved) != want || err != nil && !want {
			t.Errorf("%s: %v", what, err)
		}
		r.Close()
	}
}
