package confit

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

const nobody = 65534

// A read-only root filesystem, links baked into the image, nginx and confit as nobody, the state in an emptyDir in memory:
// swaps work, and the baked links are never touched.
func TestReadOnly_baked_nobody(t *testing.T) {
	t.Parallel()
	s := newNginx(t)
	s.lines = nil
	s.line("link web/nginx.conf %s", s.target("nginx.conf"))
	s.line("link web/conf.d/ %s", s.target("conf.d")) // one link to the whole directory: keys may come and go
	s.mkdir("state")
	s.bake()
	before := s.tree(s.path("etc"))

	web := s.volume("web")
	web.swap(s.site("conf.d", page("a", "first")))
	s.box.UID = nobody
	s.box.Mounts = []harness.Mount{
		harness.ReadOnly("/"), harness.ReadOnly(s.dir), harness.Tmpfs(s.state, "mode=0777"), harness.Tmpfs(s.path("run"), "mode=0777"),
	}
	s.line("validate nginx -t -q -e stderr -c {candidate}/web/nginx.conf")
	c := s.start(s.nginx()...)
	c.serves("a", "first")
	web.swap(s.site("conf.d", pageKeys(keys{"a": "second", "b": "new"})))
	c.serves("a", "second")
	c.serves("b", "new")
	web.swap(s.site("conf.d", keys{"conf.d/a.conf": "nonsense"}))
	c.wantRejected("validate", 1)
	c.serves("a", "second")
	if after := s.tree(s.path("etc")); after != before {
		t.Errorf("the baked links were\n%s\nand are\n%s", before, after)
	}
	if uid := harness.StatusField(c.Proc(), "Uid"); uid != "65534\t65534\t65534\t65534" {
		t.Errorf("confit ran as %q", uid)
	}
	c.stops(0)
}

// bake runs confit --bake, as a Dockerfile does.
func (s *setup) bake(flags ...string) (said string) {
	s.t.Helper()
	argv := s.command(append([]string{"--bake"}, flags...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("confit --bake: %v\n%s", err, out)
	}
	return string(out)
}

// The image's default stays in force where the key of an optional line is missing, and the build says which line wasn't baked.
func TestReadOnly_bake_optional(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s optional", s.write(s.target("a"), "default"))
	s.line("link web/b %s", s.write(s.target("b"), "default"))
	s.line("link web/c %s optional", s.target("c"))
	s.mkdir("state")
	said := s.bake()
	if last := said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:]; !strings.HasPrefix(last, `baked 2 of 3 link lines, not source "web/a" at `+s.path("links")+":") {
		t.Errorf("the last line is %s", last)
	}
	s.volume("web").swap(keys{"b": "key"})
	s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.ReadOnly(s.dir), harness.Tmpfs(s.state, "mode=0777")}
	c := s.start(app("-print", s.target("a"))...)
	c.Says("read default", 1)
	s.wantFiles(keys{"a": "default"})
}

// A labelled pod: with --optional the image is ready for keys of optional lines, over what it has there; one whose
// key is missing stays.
func TestReadOnly_bake_all(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s optional", s.write(s.target("a"), "default"))
	s.line("link web/b %s optional", s.write(s.target("b"), "default"))
	s.mkdir("state")
	if said := s.bake("--optional"); said != "baked 2 of 2 link lines\n" {
		t.Errorf("it says %s", said)
	}
	s.volume("web").swap(keys{"a": "key"})
	s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.ReadOnly(s.dir), harness.Tmpfs(s.state, "mode=0777")}
	c := s.start(app("-print", s.target("a"))...)
	c.Says("read key", 1)
	c.stops(0)
}

// A link that isn't baked can't be made on a read-only root: the message names the target and says so, and nothing is started.
func TestReadOnly_not_baked(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.mkdir("state")
	s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.ReadOnly(s.dir), harness.Tmpfs(s.state, "mode=0777")}
	c := s.start(app()...)
	c.Ends(71)
	c.wantMention(s.target("a"))
	c.wantMention("--bake")
	c.wantLogged("app started", 0)
}

// A state directory that can't be written to: the message shows the emptyDir to mount.
func TestReadOnly_state(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.ReadOnly(s.dir)}
	c := s.start(app()...)
	c.Ends(71)
	c.wantMention(s.state)
	c.wantMention("emptyDir")
}

// Baked links dangle, and baking twice makes the same ones. A run decides what they lead to.
func TestReadOnly_bake_twice(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.line("link web/dir/ %s", s.target("dir"))
	s.bake()
	once := s.tree(s.path("etc"))
	if to, err := os.Readlink(s.target("a")); err != nil || to != s.state+"/live/web/a" {
		t.Errorf("the baked link points at %q (%v)", to, err)
	}
	s.bake()
	if twice := s.tree(s.path("etc")); twice != once {
		t.Errorf("baked once\n%s\ntwice\n%s", once, twice)
	}
}
