package integration

import (
	"os"
	"strings"
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
