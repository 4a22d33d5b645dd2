package linker

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// explain is what --check says of a fixture: the plan, and what is wrong.
func (h *fixture) explain() (plan, wrong string) {
	h.Helper()
	var out strings.Builder
	for _, dir := range []string{"conf.d", "d"} {
		_ = os.MkdirAll(h.path("etc", dir), 0o755) // which another user may not do
	}
	if err := Explain(&out, h.checked()); err != nil {
		wrong = err.Error()
	}
	if h.linker == nil && !files.Missing(h.config.State) {
		h.Error("a state directory was made")
	}
	return strings.ReplaceAll(out.String(), h.dir, "DIR"), strings.ReplaceAll(wrong, h.dir, "DIR")
}

func (h *fixture) wantExplained(plan, wrong string) {
	h.Helper()
	gotPlan, gotWrong := h.explain()
	if gotPlan != plan {
		h.Errorf("the plan is\n%s\nwant\n%s", gotPlan, plan)
	}
	if gotWrong != wrong {
		h.Errorf("wrong is\n%s\nwant\n%s", gotWrong, wrong)
	}
}

// TestExplainUnmounted: an image is checked before anything is mounted. An empty
// directory for the volumes changes nothing. In a pod all must be there.
func TestExplainUnmounted(t *testing.T) {
	h := newFixture(t, "web/a a", "web/ dir", "web/*.conf conf.d/", "input x/y", "env x/z Z", "tls tls")
	h.config.Links = append(h.config.Links, Link{Source: h.path("podinfo", "labels"), Target: Target(h.path("etc", "labels"))})
	const plan = `link  web/a  DIR/etc/a
link  web/  DIR/etc/dir
link  web/*.conf  DIR/etc/conf.d/
input  x/y
env  x/z  Z
link  tls  DIR/etc/tls
link  DIR/podinfo/labels  DIR/etc/labels
`
	const notes = `note: no key was looked at, as nothing is mounted in "DIR/volumes"
note: source "tls" names no volume: write "VOLUME/tls", or "tls/" for all keys of that volume
note: no key was looked at, as nothing is mounted in "DIR/podinfo"
`
	for range 2 {
		h.wantExplained(plan+notes+aLink("dir"), "")
		h.must(os.MkdirAll(h.path("volumes"), 0o755))
		h.must(os.MkdirAll(h.path("volumes", "web"), 0o755))
		h.must(os.MkdirAll(h.path("podinfo"), 0o755))
	}
	h.must(os.RemoveAll(h.path("volumes")))
	h.config.Pod = true
	got, wrong := h.explain()
	for _, want := range []string{
		`"web/a" needs volume "DIR/volumes/web", which is not mounted`, `"web/" needs volume`, `"web/*.conf" needs volume`,
		`"x/y" needs volume "DIR/volumes/x", which is not mounted`, `"x/z" needs`, `"tls" needs`, `key "labels" is missing from volume "DIR/podinfo"`,
	} {
		if !strings.Contains(wrong, want) {
			t.Errorf("%s isn't in\n%s", want, wrong)
		}
	}
	if got != plan+`note: volume "DIR/podinfo" holds []`+"\n"+aLink("dir") {
		t.Errorf("the plan is\n%s", got)
	}
}

// TestExplainMisspelt: where no line names what is there, as in a directory of volumes without a mount, the names are told.
func TestExplainMisspelt(t *testing.T) {
	h := newFixture(t, "config/a a")
	h.write("web", "a", "a")
	h.write("tls", "b", "b")
	h.must(os.MkdirAll(h.path("volumes", "empty"), 0o755))
	h.wantExplained(`link  config/a  DIR/etc/a
note: no key was looked at, as no line names a volume that "DIR/volumes" holds: ["tls" "web"]
`, "")
}

// TestExplainMounted: as soon as one volume is mounted, each key is looked at, and
// all that is wrong is named at once.
func TestExplainMounted(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b", "web/c c optional", "web/*.conf conf.d/", "tls/ tls", "web/*.d d/", "web d2", "webb/a a2", "web/X.conf x2")
	h.write("web", "a", "a", "x.conf", "x", "y.conf", "y")
	h.must(os.MkdirAll(h.path("etc", "conf.d", "y.conf", "full"), 0o755))
	h.must(os.WriteFile(h.path("etc", "a"), []byte("image"), 0o644))
	h.wantExplained(`link  web/a  DIR/etc/a  (covers what is there)
link  web/b  DIR/etc/b
link  web/c  DIR/etc/c
link  web/*.conf  DIR/etc/conf.d/
      web/x.conf  DIR/etc/conf.d/x.conf
      web/y.conf  DIR/etc/conf.d/y.conf  (refused)
link  tls/  DIR/etc/tls
link  web/*.d  DIR/etc/d/
link  web  DIR/etc/d2
link  webb/a  DIR/etc/a2
link  web/X.conf  DIR/etc/x2
note: volume "DIR/volumes/web" holds ["a" "x.conf" "y.conf"]
note: volume "DIR/volumes" holds ["web"]
note: key "c" is missing from volume "DIR/volumes/web"; it is optional
`+aLink("tls"), strings.TrimSpace(`
"tls/" needs volume "DIR/volumes/tls", which is not mounted (if it may be missing, add the option optional)
key "web" in volume "DIR/volumes" is a directory: for every key below it write "web/"
"webb/a" needs volume "DIR/volumes/webb", which is not mounted; did you mean "web"? (if it may be missing, add the option optional)
key "b" is missing from volume "DIR/volumes/web" (if it may be missing, add the option optional)
no key of volume "DIR/volumes/web" matches "web/*.d" (if it may be missing, add the option optional)
key "X.conf" is missing from volume "DIR/volumes/web"; did you mean "x.conf"? (if it may be missing, add the option optional)
cannot link target "DIR/etc/conf.d/y.conf": a directory that isn't empty is there; write another target, or remove it from the image or the pod
`))
	if now, err := os.ReadFile(h.path("etc", "a")); err != nil || string(now) != "image" {
		t.Errorf("the target holds %q, %v", now, err)
	}
}

// TestExplainVariables: which variable a key becomes, and which it can't.
func TestExplainVariables(t *testing.T) {
	h := newFixture(t, "env app/ *", "env app/A B", "input app/*")
	h.write("app", "A", "1", "LISTEN_PID", "1")
	h.wantExplained(`env  app/  *
      app/A  A
      app/LISTEN_PID  
env  app/A  B
input  app/*
      app/A
      app/LISTEN_PID
`, `key "app/LISTEN_PID" can't be variable "LISTEN_PID", which has a meaning of its own for confit or the app: rename it`)
}

// TestExplainCollision: two keys for one target are found before a start.
func TestExplainCollision(t *testing.T) {
	h := newFixture(t, "web/*.conf conf.d/", "app/*.conf conf.d/")
	h.write("web", "a.conf", "a")
	h.write("app", "a.conf", "a")
	if _, wrong := h.explain(); !strings.Contains(wrong, `target "DIR/etc/conf.d/a.conf" has a link already, for source "web/*.conf"`) {
		t.Errorf("wrong is %s", wrong)
	}
}

// TestExplainFallback: the default in an image is looked at even where no volume is
// mounted, and a key that it lacks is missing from it by name.
func TestExplainFallback(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b", "tls/c c")
	h.config.Fallback = h.path("default")
	const noKey = `note: no key was looked at, as nothing is mounted in "DIR/volumes"` + "\n"
	plan, wrong := h.explain()
	if !strings.HasSuffix(plan, noKey+`note: the fallback directory has none of the volumes: "DIR/default"`+"\n") || wrong != "" {
		t.Errorf("without a fallback: %s%s", plan, wrong)
	}
	h.must(os.MkdirAll(h.path("default", "web"), 0o755))
	h.must(os.WriteFile(h.path("default", "web", "a"), nil, 0o644))
	plan, wrong = h.explain()
	if want := `key "b" is missing from volume "DIR/default/web" (if it may be missing, add the option optional)`; wrong != want {
		t.Errorf("wrong is %s, want %s", wrong, want)
	}
	if !strings.HasSuffix(plan, noKey+`note: volume "DIR/default/web" holds ["a"]`+"\n") {
		t.Errorf("the plan is %s", plan)
	}
	h.write("web", "a", "1", "b", "2")
	h.write("tls", "d", "3")
	_, wrong = h.explain()
	if n := strings.Count(wrong, `key "c" is missing from volume "DIR/volumes/tls"`); n != 1 {
		t.Errorf("said %d times: %s", n, wrong)
	}
}

// TestExplainReadOnly: who may not write where a target goes has to make the links at
// the build, or a volume comes in the pod.
func TestExplainReadOnly(t *testing.T) {
	h := newFixture(t, "web/a ro/new/a", "web/b ro/b")
	h.must(os.MkdirAll(h.path("etc", "ro"), 0o755))
	ownMounts(t)
	ro := h.path("etc", "ro")
	h.must(unix.Mount(ro, ro, "", unix.MS_BIND, ""))
	t.Cleanup(func() { _ = unix.Unmount(ro, unix.MNT_DETACH) })
	h.must(unix.Mount("", ro, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	const want = `cannot link targets in "DIR/etc/ro": read-only file system
make the links when the image is built, with confit --bake as USER 0, or mount an emptyDir on the target's directory`
	plan, wrong := h.explain()
	if strings.Count(plan, "note: "+want+"\n") != 1 || wrong != "" {
		t.Errorf("says %s%s", plan, wrong)
	}
	h.config.Pod = true
	h.write("web", "a", "1", "b", "2")
	if plan, wrong = h.explain(); wrong != want || strings.Contains(plan, "note:") {
		t.Errorf("says %s%s", plan, wrong)
	}
	h.must(os.WriteFile(h.path("etc", "file"), nil, 0o644))
	h.config.Links[0].Target = Target(filepath.Join(h.path("etc", "file"), "a"))
	if _, wrong = h.explain(); !strings.Contains(wrong, "a file in the place of its directory is there") {
		t.Errorf("a file as a directory: %s", wrong)
	}
}

// TestNothingLinked: links files without a source are most likely a mistake.
func TestNothingLinked(t *testing.T) {
	h := newFixture(t)
	h.wantExplained("note: nothing is linked: the app gets no key; write a line such as link web/nginx.conf /etc/nginx/nginx.conf\n", "")
	h.open()
	if said := h.said.String(); strings.Count(said, "nothing is linked: the app gets no key") != 1 || !strings.Contains(said, "WARN") {
		t.Errorf("said %s", said)
	}
	h = newFixture(t, "input web/a")
	h.open()
	if said := h.said.String(); strings.Contains(said, "nothing is linked") {
		t.Errorf("with an input: %s", said)
	}
}

// TestWholeDirectoryOverAFile: who opens a file of the image mustn't find a
// directory there.
func TestWholeDirectoryOverAFile(t *testing.T) {
	h := newFixture(t, "web/ app.conf", "web/a link")
	h.must(errors.Join(os.MkdirAll(h.path("etc"), 0o755), os.WriteFile(h.path("etc/app.conf"), []byte("image"), 0o644), os.Symlink("app.conf", h.path("etc/link"))))
	h.write("web", "a", "a")
	const want = `cannot link target "DIR/etc/app.conf": a regular file is there; write one key of the directory as the source, or a directory as the target, or remove it from the image or the pod`
	plan, wrong := h.explain()
	if wrong != want || !strings.Contains(plan, "app.conf  (refused)") {
		t.Errorf("--check plans\n%s and refuses\n%s\nwant\n%s", plan, wrong, want)
	}
	_, staged := h.open().tryStage()
	for what, err := range map[string]error{"--bake": Bake(io.Discard, h.checked(), false), "a start": staged} {
		if err == nil || strings.ReplaceAll(err.Error(), h.dir, "DIR") != want {
			t.Errorf("%s says %v, want %s", what, err, want)
		}
	}
	h.reads("app.conf", "image", "link", "image")
}

// TestRefusalNamesTheFile: whoever wrote the directory of a file is told so.
func TestRefusalNamesTheFile(t *testing.T) {
	h := newFixture(t, "web/a etc", "web/b empty", "web/c c")
	for _, dir := range []string{"etc/x", "empty", "c"} {
		h.must(os.MkdirAll(h.path("etc", dir), 0o755))
	}
	h.wantExplained(`link  web/a  DIR/etc/etc  (refused)
link  web/b  DIR/etc/empty  (refused)
link  web/c  DIR/etc/c  (refused)
note: no key was looked at, as nothing is mounted in "DIR/volumes"
`, `cannot link target "DIR/etc/c": a directory is there; write another target, or remove it from the image or the pod
cannot link target "DIR/etc/empty": a directory is there; write the file, such as "DIR/etc/empty/b", or remove it from the image or the pod
cannot link target "DIR/etc/etc": a directory that isn't empty is there; write the file, such as "DIR/etc/etc/a", or remove it from the image or the pod`)
}

// TestExplainAgreesWithTheStart on links of optional keys that aren't there: what is in
// the way of one, and a directory that nobody may write to, are only noted. But nobody
// can link below /proc, whatever its mode says.
func TestExplainAgreesWithTheStart(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b full optional")
	h.write("web", "a", "1")
	h.must(os.MkdirAll(h.path("etc", "full", "x"), 0o755))
	plan, wrong := h.explain()
	const note = `note: cannot link target "DIR/etc/full": a directory that isn't empty is there; write the file, such as "DIR/etc/full/b", or remove it from the image or the pod; a start goes well until the optional key is there`
	if wrong != "" || !strings.Contains(plan, note+"\n") {
		t.Errorf("says %s%s", plan, wrong)
	}
	h.open()
	h.adopt()
	h.reads("a", "1")

	h = newFixture(t, "web/a a")
	h.config.Links[0].Target = "/proc/1/confit/a"
	h.write("web", "a", "1")
	if _, wrong := h.explain(); wrong != `cannot link targets in "/proc/1": it is the kernel's, and has no place for links; write another target` {
		t.Errorf("wrong is %s", wrong)
	}
	h.open()
	h.stage()
	if h.linker.Publish(h.candidate.Number, false) == nil {
		t.Error("published below /proc")
	}
}

// TestExplain_beside: where one volume is mounted, a start fails without the others, also those with a place of their own.
func TestExplain_beside(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b")
	h.config.Links[1].Source = h.path("elsewhere/b")
	h.write("web", "a", "a")
	var said strings.Builder
	if err := Explain(&said, h.checked()); err == nil || !strings.Contains(err.Error(), "elsewhere") || strings.Contains(said.String(), "nothing is mounted") {
		t.Errorf("error %v, and it says\n%s", err, &said)
	}
}
