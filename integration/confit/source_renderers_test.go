package confit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// newTemplates is a setup for an nginx whose pages are rendered from templates, with a variable from another volume.
func newTemplates(t *testing.T) (s *setup, web, vars *volume) {
	t.Helper()
	if _, err := exec.LookPath("envsubst"); err != nil {
		t.Fatalf("install Debian's package gettext-base: %v", err)
	}
	s = newNginx(t)
	s.lines = nil
	s.line("link web/nginx.conf %s", s.target("nginx.conf"))
	s.line("link {rendered}/conf.d/ %s/", s.target("conf.d"))
	s.line("env vars/GREETING GREETING reload=none")
	s.line("settle 50ms")
	s.flag("--stop-signal", "QUIT")
	return s, s.volume("web"), s.volume("vars")
}

// The start script of the official nginx image, with its own settings and no change: nginx serves what it renders. A change of a template
// or of the variable is one reload; one that nginx doesn't take is rejected.
func TestSource_renderer_of_the_nginx_image(t *testing.T) {
	t.Parallel()
	s, web, vars := newTemplates(t)
	s.line("input web/templates/")
	s.line("render env NGINX_ENVSUBST_TEMPLATE_DIR={candidate}/web/templates NGINX_ENVSUBST_OUTPUT_DIR={rendered}/conf.d "+
		"NGINX_ENVSUBST_TEMPLATE_SUFFIX=.tpl NGINX_ENVSUBST_FILTER=^GREET sh %s", s.copyFile("testdata/envsubst-on-templates.sh", s.path("20-envsubst.sh")))
	s.line("validate nginx -t -q -e stderr -c %s", s.target("nginx.conf"))
	s.env = append(s.env, "uri=a variable of nginx that the filter leaves alone")
	templates := func(pages keys) keys {
		k := s.site("conf.d", nil)
		for name, text := range pages {
			k["templates/"+name+".conf.tpl"] = location(filepath.Base(name), text)
		}
		k["templates/README"] = "no template"
		return k
	}
	vars.swap(keys{"GREETING": "hello"})
	web.swap(templates(keys{"a": "${GREETING} one", "b": "$uri"}))
	c := s.start(s.nginx()...)
	c.serves("a", "hello one")
	c.serves("b", "/b")
	c.accepts(1)
	vars.swap(keys{"GREETING": "good day"})
	c.serves("a", "good day one")
	web.swap(templates(keys{"a": "$GREETING two", "sub/c": "new"}))
	c.serves("a", "good day two")
	c.serves("b", "404 Not Found")
	s.wantFiles(keys{"conf.d/sub/c.conf": location("c", "new")})
	c.accepts(3)
	c.wantLogged("app reloaded", 2)
	c.wantLogged("app started", 1)
	vars.swap(keys{"GREETING": `"; nonsense`})
	c.wantRejected("validate", 1)
	c.serves("a", "good day two") // once the old workers are gone
	c.stops(0)
}

// envsubst itself, a shell and Python: they have the candidate's variables, and find their files by the placeholders.
func TestSource_renderers(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"envsubst": `render sh -c 'mkdir {rendered}/conf.d; envsubst "\$GREETING" <{candidate}/web/page >{rendered}/conf.d/page.conf'`,
		"shell":    `render sh -c 'mkdir {rendered}/conf.d; while read -r l; do echo "$l" | sed "s/\$GREETING/$GREETING/"; done <{candidate}/web/page >{rendered}/conf.d/page.conf'`,
		"python": `render /usr/bin/python3 -c "import os, string, pathlib; t = string.Template(pathlib.Path('{candidate}/web/page').read_text()); ` +
			`os.mkdir('{rendered}/conf.d'); pathlib.Path('{rendered}/conf.d/page.conf').write_text(t.substitute(os.environ))"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, vars := newTemplates(t)
			s.line("input web/page")
			s.line("%s", line)
			site := s.site("conf.d", keys{"page": location("a", "$GREETING one")})
			vars.swap(keys{"GREETING": "hello"})
			web.swap(site)
			c := s.start(s.nginx()...)
			c.serves("a", "hello one")
			vars.swap(keys{"GREETING": "good day"})
			c.serves("a", "good day one")
			site["page"] = location("a", "$GREETING two")
			web.swap(site)
			c.serves("a", "good day two")
			c.wantNoErrors()
			c.wantLogged("app started", 1)
		})
	}
}

// A read-only root, nobody, links that are baked, and the state in memory: files are rendered, and variables made.
func TestSource_readonly_nobody(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.rendered()
	s.line("env web/LEVEL LEVEL")
	s.mkdir("state")
	s.bake()
	before := s.tree(s.path("etc"))
	for target, key := range map[string]string{"text": "web/text", "out": ".rendered/out"} {
		if to, err := os.Readlink(s.target(target)); err != nil || to != filepath.Join(s.state, "live", key) {
			t.Errorf("baked target %q leads to %q (%v)", target, to, err)
		}
	}
	with := func(level string, k keys) keys {
		k["LEVEL"] = level
		return k
	}
	web.swap(with("1", script("first", copies)))
	s.box.UID = nobody
	s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.ReadOnly(s.dir), harness.Tmpfs(s.state, "mode=0777")}
	c := s.start(app("-print", s.target("out"))...)
	c.wantVariable(1, "LEVEL", "1")
	c.Says("read first", 1)
	web.swap(with("2", script("second", copies)))
	c.wantVariable(2, "LEVEL", "2")
	c.Says("read second", 1)
	web.swap(with("3", script("third", "exit 1")))
	c.wantRejected("render", 1)
	c.wantVariable(2, "LEVEL", "2")
	if after := s.tree(s.path("etc")); after != before {
		t.Errorf("the baked links were\n%s\nand are\n%s", before, after)
	}
}

// --check prints what the lines make, for a volume that isn't there, too, and changes nothing. --bake leaves out what has no target.
func TestSource_check_and_bake(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link {rendered}/conf.d/ %s/", s.target("conf.d"))
	s.line("link {rendered}/main %s optional", s.target("main"))
	s.line("input web/templates/")
	s.line("env app/env/* APP_* local")
	s.line("env {rendered}/TOKEN TOKEN")
	s.line("render sh -c 'true {rendered}'")
	before := s.tree(s.dir)
	argv := s.command("--check")
	stdout, stderr := s.runPlain(0, argv...)
	for _, want := range []string{
		"link  {rendered}/conf.d/  " + s.target("conf.d") + "/\n", "link  {rendered}/main  " + s.target("main") + "\n", "input  web/templates/\n",
		"env  app/env/*  APP_*\n", "env  {rendered}/TOKEN  TOKEN\n", "\nrender            sh -c 'true {rendered}'\n",
	} {
		wantHolds(t, stdout, want)
	}
	if stderr != "" {
		t.Errorf("--check complains: %s", stderr)
	}
	if err := os.Remove(s.path("links")); err != nil {
		t.Fatal(err)
	}
	if after := s.tree(s.dir); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	_, stderr = s.runPlain(0, s.command("--bake")...)
	wantHolds(t, stderr, `links:1: source "{rendered}/conf.d/": its keys aren't known yet`)
	if to, err := os.Readlink(s.target("main")); err != nil || to != s.state+"/live/.rendered/main" {
		t.Errorf("the baked link points at %q (%v)", to, err)
	}
	s.lines = s.lines[:len(s.lines)-1] // nothing renders
	s.line("env app/X LISTEN_PID")
	_, stderr = s.runPlain(64, s.command("--check")...)
	for _, want := range []string{"links:1: source \"{rendered}/conf.d/\": nothing is rendered", "links:6: variable \"LISTEN_PID\" has a meaning"} {
		wantHolds(t, stderr, want)
	}
}

func wantHolds(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q isn't in\n%s", want, text)
	}
}
