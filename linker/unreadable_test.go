package linker

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestVolumeThatIsAFile: each line that needs it says so, and what to mount, whatever else the
// line may lack.
func TestVolumeThatIsAFile(t *testing.T) {
	h := newFixture(t, "web/a a", "web/ whole optional", "web/*.conf conf.d/", "env web/e E optional")
	for i, where := range []string{"links:1", "links:2", "links:3", "links:4"} {
		h.config.Links[i].Where = where
	}
	h.must(os.MkdirAll(h.path("volumes"), 0o755))
	h.must(os.WriteFile(h.path("volumes", "web"), []byte("a key"), 0o644))
	const want = `volume "DIR/volumes/web" is no directory: mount the ConfigMap or Secret there, without subPath`
	_, wrong := h.explain()
	for _, where := range []string{"links:1: ", "links:2: ", "links:3: ", "links:4: "} {
		if strings.Count(wrong, where+want) != 1 {
			t.Errorf("%s isn't named: %s", where, wrong)
		}
	}
	if strings.Contains(wrong, "which is not mounted") {
		t.Errorf("it is there: %s", wrong)
	}
	h.open()
	h.invalid("links:1: volume", "is no directory: mount the ConfigMap or Secret there")
	h.must(os.Remove(h.path("volumes", "web")))
	h.write("web", "a", "1", "b.conf", "2")
	h.adopt()
	h.reads("a", "1", "conf.d/b.conf", "2")
}

// TestUnreadable: what confit's user may not read says how a pod lets it.
func TestUnreadable(t *testing.T) {
	for name, lock := range map[string]string{
		`cannot read key "a" in volume`: "volumes/web/..data/a", `cannot list directory "." of volume`: "volumes/web/..data",
		`cannot read key "sub/b"`: "volumes/web/..data/sub", `cannot list directory "sub"`: "volumes/web/..data/sub", `cannot open volume`: "volumes",
	} {
		h := newFixture(t, "web/a a", "web/ tree/", "web/sub/b b")
		h.config.Pod = true
		h.write("web", "a", "1", "sub/b", "1")
		h.must(errors.Join(os.Chmod(filepath.Dir(h.dir), 0o755), os.Chmod(h.path(lock), 0)))
		plan, wrong := "", ""
		asUser(t, 65534, func() { plan, wrong = h.explain() })
		found := false
		for line := range strings.Lines(plan + wrong) {
			found = found || strings.Contains(line, name) && strings.Contains(line, "permission denied; let user ") && strings.Contains(line, "fsGroup of the pod, defaultMode of the volume")
		}
		if !found {
			t.Errorf("%s: it says\n%s%s", name, plan, wrong)
		}
	}
}

// asUser does something as a user who has no right of root to files.
func asUser(t *testing.T, uid int, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with this goroutine
		if err := unix.Setfsuid(uid); err != nil {
			t.Error(err)
		}
		do()
	}()
	<-done
}
