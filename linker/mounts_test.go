package linker

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/mounts"
)

// TestWarnOfMounts: what works, but not as it seems to, is said once, where it
// matters.
func TestWarnOfMounts(t *testing.T) {
	const file, plain, state = "single file mounted", "plain volume", "state directory in no volume"
	for name, tt := range map[string]struct {
		pod    bool
		mounts []string // below the fixture
		want   []string
	}{
		"docker run":                       {false, nil, nil},
		"docker run, a single file":        {false, []string{"volumes/plain/a"}, []string{file}},
		"a pod":                            {true, []string{"volumes/web", "volumes/plain", "state"}, []string{plain}},
		"a pod, no volume for the state":   {true, []string{"volumes/web", "volumes/plain"}, []string{plain, state}},
		"a pod, a volume above the state":  {true, []string{"volumes/plain", ""}, []string{plain}},
		"a pod, a single file":             {true, []string{"volumes/plain/a", "state"}, []string{file}},
		"a pod, a single file covered":     {true, []string{"volumes/plain/a", "volumes/plain", "state"}, []string{plain}},
		"a pod, a file that isn't there":   {true, []string{"volumes/plain/gone", "state"}, []string{plain}},
		"a pod, a file outside of volumes": {true, []string{"state", "etc"}, []string{plain}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "web/a a", "plain/a b")
			h.write("web", "a", "one")
			h.plain("plain", "a", "two")
			h.open()
			mountinfo := "1 0 0:1 / / rw\n"
			for _, point := range tt.mounts {
				mountinfo += "2 1 0:2 /x " + h.path(point) + " rw\n"
			}
			h.linker.mounts = mounts.Parse(mountinfo, h.path("volumes"), h.path("state"), tt.pod)
			h.stage()
			h.saysJust(tt.want...)
			h.said.Reset()
			h.seen = ""
			h.stage()
			h.saysJust()
		})
	}
}

// TestWarnOfMounts_unknown: where mountinfo can't be read nothing is said.
func TestWarnOfMounts_unknown(t *testing.T) {
	h := newFixture(t, "plain/a a")
	h.plain("plain", "a", "one")
	h.open()
	h.linker.mounts = mounts.Parse("", h.path("volumes"), h.path("state"), true)
	h.stage()
	h.saysJust()
}

// saysJust checks what the linker has said, a line for each.
func (h *fixture) saysJust(want ...string) {
	h.Helper()
	lines := strings.Split(strings.TrimSpace(h.said.String()), "\n")
	if lines[0] == "" {
		lines = nil
	}
	if len(lines) != len(want) {
		h.Errorf("said %q, want %q", lines, want)
		return
	}
	for i, w := range want {
		if !strings.Contains(lines[i], w) || !strings.Contains(lines[i], "WARN") {
			h.Errorf("said %q, want %q", lines[i], w)
		}
	}
}

// TestOpen_subPath: what never changes is refused before anything is made.
func TestOpen_subPath(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "one", "b", "two")
	h.bindKey("a")
	h.bindKey("b")
	_, _, err := Open(h.checked())
	for _, key := range []string{"a", "b"} {
		if want := "cannot use \"" + h.path("volumes", "single", key) + "\""; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v doesn't say %s", err, want)
		}
	}
	if !files.Missing(h.path("state")) {
		t.Error("the state directory was made")
	}
	var plan strings.Builder
	if told := Explain(&plan, h.checked()); told == nil || !strings.Contains(told.Error(), err.Error()) || !strings.Contains(plan.String(), "link  web/a") {
		t.Errorf("--check says %v and %q", told, plan.String())
	}
}

// bindKey mounts a key of web alone, as the kubelet does: what ..data leads to
// now.
func (h *fixture) bindKey(key string) {
	h.Helper()
	real, err := filepath.EvalSymlinks(h.path("volumes", "web", key))
	h.must(err)
	point := filepath.Join(h.plain("single", key, ""), key)
	h.must(unix.Mount(real, point, "", unix.MS_BIND, ""))
	h.Cleanup(func() { _ = unix.Unmount(point, unix.MNT_DETACH) })
}
