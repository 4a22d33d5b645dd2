package confit

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// secretly gives a setup a renderer that copies a key which only root may read, and an app that opens the copy as nobody.
func (s *setup) secretly(option string) (app []string) {
	s.t.Helper()
	s.write(s.path("renderer"), `cat "$CONFIT_CANDIDATE/web/password" >"$CONFIT_RENDERED/out"
setpriv --reuid 65534 --clear-groups cat "$CONFIT_RENDERED/out" && echo EVERYBODY MAY READ IT
exit 0
`)
	s.line("input web/password")
	s.line("link {rendered}/out %s %s", s.target("out"), option)
	s.line("render sh %s", s.path("renderer"))
	s.volume("web").swapFiles(map[string]file{"password": {"hunter2", 0o400}})
	return []string{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "sh", "-c", `read a <"$0" || test "$a" || exit 9; echo ready; exec sleep 7654321`, s.target("out")}
}

// What is rendered of a Secret is no more readable than that: not as long as the renderer runs, and not afterwards. If the app is
// another user, the log names the line to write.
func TestSource_render_of_a_secret(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	c := s.start(s.secretly("")...)
	c.Ends(9)
	if e := c.logs("app's user can't open a rendered file", 1); e["user"] != "65534" || e["mode"] != "0400" ||
		!strings.Contains(e["todo"], "add mode=0644 to the line link {rendered}/out "+s.target("out")+" at "+s.path("links")+":") {
		t.Errorf("logged %v", e)
	}
	c.wantCount("the renderer's directory was open", len(c.Texts("stderr", "EVERYBODY MAY READ IT")), 0)
}

// A line may say that the file is for everybody. Then nobody is warned.
func TestSource_render_for_everybody(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	c := s.start(s.secretly("mode=0644")...)
	c.Says("ready", 1)
	c.accepts(1)
	if info, err := os.Stat(s.target("out")); err != nil || info.Mode() != 0o444 {
		t.Errorf("the file is %v (%v)", info, err)
	}
	c.wantLogged("app's user can't open a rendered file", 0)
	c.wantCount("the renderer's directory was open", len(c.Texts("stderr", "EVERYBODY MAY READ IT")), 0)
}

// confit as another user than root can't give its copies to root. Of what others may not read the copy is that user's alone, but for a line
// that says mode: a daemon that accepts a key of root:GROUP 0440 refuses one of its own that its group may read.
func TestSource_copies_of_one_user(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.runAs(nobody)
	s.line("link web/key %s", s.target("key"))
	s.line("link web/shared %s mode=0440", s.target("shared"))
	s.line("link web/run %s", s.target("run"))
	s.line("link web/public %s", s.target("public"))
	web := newVolume(t, s.mkdir("volumes", "web"), "--fsgroup", strconv.Itoa(nobody))
	web.swapFiles(map[string]file{"key": {"1", 0o400}, "shared": {"1", 0o400}, "run": {"1", 0o500}, "public": {"1", 0o644}})
	s.hasMode(web.dir+"/key", 0o440, 0)
	c := s.start(app()...)
	c.accepts(1)
	s.wantCopies()
	e := c.logs("copies are for confit's user alone", 1)
	if e["keys"] != "[web/key web/run]" || e["count"] != "2" || !strings.Contains(e["todo"], "add mode=0440") {
		t.Errorf("logged %v", e)
	}
	web.swapFiles(map[string]file{"key": {"2", 0o400}, "shared": {"1", 0o400}, "run": {"1", 0o500}, "public": {"1", 0o644}})
	c.accepts(2)
	s.wantCopies()
	c.Kill()
	c = s.start(app()...)
	c.Says("ready", 1)
	c.logs("copies are for confit's user alone", 1)
	c.wantLogged(restored, 0)
	c.reports("the accepted generation, as it was", func(r report) bool { return r.quiet() && r.Live.Generation == 2 && r.Accepted.Generation == 2 })
	s.wantCopies()
}

// wantCopies holds the modes of TestSource_copies_of_one_user.
func (s *setup) wantCopies() {
	s.t.Helper()
	for name, mode := range map[string]os.FileMode{"key": 0o400, "shared": 0o440, "run": 0o500, "public": 0o444} {
		s.hasMode(s.target(name), mode, nobody)
	}
}

// hasMode holds a file's mode and owner, and that its group is nobody's.
func (s *setup) hasMode(path string, mode os.FileMode, owner uint32) {
	s.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); info.Mode() != mode || st.Uid != owner || st.Gid != nobody {
		s.t.Errorf("%s is %v of %d:%d, want %v of %d:%d", path, info.Mode(), st.Uid, st.Gid, mode, owner, nobody)
	}
}
