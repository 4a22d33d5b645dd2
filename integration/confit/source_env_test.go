package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// secret begins each value of the tests below. It must not be in any output.
const secret = "hunter2-is-the-value"

// newVariables is a setup with one variable, and others whose names the keys give. confit says all that it ever says.
func newVariables(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("env app/LEVEL LEVEL")
	s.line("env app/more/* * optional")
	s.flag("--log-level", "debug")
	s.box.TerminationLog = s.write(s.path("termination"), "")
	return s, s.volume("app")
}

// swapBytes swaps to values that the kubelet's writer has no words for.
func (v *volume) swapBytes(k keys) {
	v.t.Helper()
	v.swapRaw(k, func(string) error { return nil })
}

// variables are what the nth app that said ready was started with.
func (c *confit) variables(n int) map[string]string {
	c.t.Helper()
	var inner int
	if _, err := fmt.Sscanf(c.Says("ready", n), "ready pid=%d", &inner); err != nil {
		c.t.Fatal(err)
	}
	i := slices.IndexFunc(c.Processes(), func(p harness.Process) bool { return p.Inner == inner })
	if i < 0 {
		c.t.Fatalf("app %d isn't there any more", n)
	}
	environ, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(c.Processes()[i].PID), "environ"))
	if err != nil {
		c.t.Fatal(err)
	}
	found := map[string]string{}
	for kv := range strings.SplitSeq(strings.TrimSuffix(string(environ), "\x00"), "\x00") {
		name, value, _ := strings.Cut(kv, "=")
		if _, twice := found[name]; twice {
			c.t.Errorf("variable %q is there twice", name)
		}
		found[name] = value
	}
	return found
}

// wantVariable checks a variable of the nth app.
func (c *confit) wantVariable(n int, name, want string) {
	c.t.Helper()
	if got, found := c.variables(n)[name]; !found || got != want {
		c.t.Errorf("app %d has %s=%.80q (%v), want %.80q", n, name, got, found, want)
	}
}

// wantUntold checks that no value was written out: by confit, in its notes, in the status, by --check, in the termination log.
func (c *confit) wantUntold() {
	c.t.Helper()
	check, stderr := c.setup.runPlain(0, c.setup.command("--check")...)
	told := map[string]string{"the transcript": c.Text("stdout") + c.Text("stderr"), "the status": c.setup.report().text, "--check": check + stderr}
	files, _ := filepath.Glob(c.setup.state + "/*.json")
	for _, path := range append(files, c.setup.path("termination")) {
		content, err := os.ReadFile(path)
		if err != nil {
			c.t.Errorf("cannot read %q: %v", path, err)
		}
		told[path] = string(content)
	}
	for where, text := range told {
		if strings.Contains(text, secret) {
			c.t.Errorf("%s holds a value", where)
		}
	}
}

// Each change of a variable is one restart. The value is the key's content, byte for byte.
func TestSource_env_values(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	values := []string{secret, "", secret + "=with=equals", secret + "\nin two lines", " " + secret + " \t", secret + "\xff\xfe\x01", secret + "\n"}
	web.swapBytes(keys{"LEVEL": values[0]})
	c := s.start(app()...)
	c.wantVariable(1, "LEVEL", values[0])
	for i, value := range values[1:] {
		web.swapBytes(keys{"LEVEL": value})
		c.wantVariable(i+2, "LEVEL", value)
	}
	c.accepts(len(values))
	c.wantLogged("app started", len(values))
	c.wantCount("what may be an editor's newline", len(c.entries("variables end in a newline")), 1)
	if e := c.logs("variables end in a newline", 1); e["names"] != "[LEVEL]" {
		t.Errorf("logged %v, want the name LEVEL", e)
	}
	c.wantUntold()
}

// A change that can't be an environment is rejected by name. The app keeps what it has, and the next good change is taken.
func TestSource_env_refused(t *testing.T) {
	filler := strings.Repeat("x", 124<<10)
	many := keys{"LEVEL": secret}
	for i := range 17 {
		many[fmt.Sprintf("more/BIG%02d", i)] = secret + filler
	}
	for name, test := range map[string]struct {
		keys    keys
		mention string
	}{
		"nul":           {keys{"LEVEL": secret + "\x00"}, `key \"app/LEVEL\" can't be variable \"LEVEL\": it holds a NUL byte`},
		"128_KiB":       {keys{"LEVEL": secret + strings.Repeat("x", 128<<10-len("LEVEL=")-len(secret))}, "it would have 131072 bytes"},
		"2_MiB_in_all":  {many, "the variables have 2"},
		"name_with_=":   {keys{"LEVEL": secret, "more/A=B": secret}, "its name holds a ="},
		"NOTIFY_SOCKET": {keys{"LEVEL": secret, "more/NOTIFY_SOCKET": secret}, `\"NOTIFY_SOCKET\", which has a meaning`},
		"LISTEN_PID":    {keys{"LEVEL": secret, "more/LISTEN_PID": secret}, `\"LISTEN_PID\", which has a meaning`},
		"CONFIT_STATE":  {keys{"LEVEL": secret, "more/CONFIT_STATE": secret}, `\"CONFIT_STATE\", which has a meaning`},
		"missing":       {keys{"more/A": secret}, `key \"LEVEL\" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newVariables(t)
			web.swapBytes(keys{"LEVEL": secret + "1"})
			c := s.start(app()...)
			c.Says("ready", 1)
			web.swapBytes(test.keys)
			c.wantRejected("stage", 1)
			c.wantMention(test.mention)
			c.wantVariable(1, "LEVEL", secret+"1")
			c.wantLogged("app started", 1)
			web.swapBytes(keys{"LEVEL": secret + "2"})
			c.wantVariable(2, "LEVEL", secret+"2")
			c.wantUntold()
		})
	}
}

// At the first start there is nothing else: confit ends, and says in the termination log why, but no value.
func TestSource_env_refused_at_the_start(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	web.swapBytes(keys{"LEVEL": secret + "\x00"})
	c := s.start(app()...)
	c.Ends(78)
	c.wantUntold()
	if content, err := os.ReadFile(s.path("termination")); err != nil || !strings.Contains(string(content), `variable "LEVEL"`) {
		t.Errorf("the termination log says %q (%v)", content, err)
	}
}

// The largest variable that the kernel takes, and nearly as many as it takes in all: the app and every hook are started with them.
func TestSource_env_largest(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	s.line("validate sh -c 'test -e {candidate} && test ${#LEVEL} -gt 100000'")
	s.line("verify sh -c 'test ${#LEVEL} -gt 100000'")
	k := keys{"LEVEL": strings.Repeat("x", 128<<10-len("LEVEL=")-1)}
	for i := range 13 {
		k[fmt.Sprintf("more/BIG%02d", i)] = strings.Repeat("y", 128<<10-len("BIG00=")-1)
	}
	web.swapBytes(k)
	c := s.start(app()...)
	c.accepts(1)
	for name, value := range k {
		c.wantVariable(1, filepath.Base(name), value)
	}
}

// A small stack leaves little room for variables (execve(2)): the largest is named.
func TestSource_env_small_stack(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	web.swapBytes(keys{"LEVEL": secret, "more/A": secret + strings.Repeat("x", 90<<10), "more/B": strings.Repeat("x", 50<<10)})
	argv := append([]string{"/usr/bin/prlimit", "--stack=1048576:1048576"}, s.command()...)
	c := s.startCommand(append(append(argv, "--"), app()...)...)
	c.Ends(78)
	c.wantMention(`make them smaller, variable \"A\" first`)
	c.wantUntold()
}

// A variable covers one that confit was started with. When the key goes, that one is back.
func TestSource_env_covers(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	s.lines[0] += " optional"
	s.env = append(s.env, "LEVEL="+secret+" of the pod")
	web.swap(keys{"other": ""})
	c := s.start(app()...)
	c.wantVariable(1, "LEVEL", secret+" of the pod")
	for n := 2; n < 6; n += 2 {
		web.swap(keys{"LEVEL": secret + " of the key"})
		c.wantVariable(n, "LEVEL", secret+" of the key")
		web.swap(keys{"other": ""})
		c.wantVariable(n+1, "LEVEL", secret+" of the pod")
	}
	c.wantUntold()
}

// With reload=none a change counts from the next start of the app on, whatever that is for.
func TestSource_env_reload_none(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	s.lines[0] += " reload=none"
	web.swap(keys{"LEVEL": "1", "more/A": "1"})
	c := s.start(app()...)
	c.accepts(1)
	web.swap(keys{"LEVEL": "2", "more/A": "1"})
	c.accepts(2)
	c.wantVariable(1, "LEVEL", "1")
	web.swap(keys{"LEVEL": "2", "more/A": "2"})
	c.wantVariable(2, "LEVEL", "2")
	c.wantLogged("app started", 2)
}

// An app that dies of its new environment is started again with the old one.
func TestSource_env_rolled_back(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	s.line("link app/text %s reload=none", s.target("text"))
	dies := append([]string{"sh", "-c", `case $LEVEL in *bad) exit 3 ;; esac; exec "$@"`, "sh"}, app("-print", s.target("text"))...)
	web.swap(keys{"LEVEL": secret + "good", "text": "first"})
	s.accept(dies...)
	s.flag("--probation", "1h")
	c := s.start(dies...)
	c.wantVariable(1, "LEVEL", secret+"good")
	web.swap(keys{"LEVEL": secret + "bad", "text": "second"})
	c.wantRejected("probation", 1)
	c.wantVariable(2, "LEVEL", secret+"good")
	c.wantRolledBack(1, "1")
	c.wantCount("apps that read the old key", len(c.Texts("stdout", "read first")), 2)
	s.wantFiles(keys{"text": "first"})
	c.wantUntold()
}

// Variables of keys stand beside the one that confit makes for the app, NOTIFY_SOCKET of sd_notify.
func TestSource_env_beside_the_protocol(t *testing.T) {
	t.Parallel()
	s, web := newVariables(t)
	s.env = append(s.env, "LEVEL=of the pod")
	web.swap(keys{"LEVEL": "1"})
	c := s.start(app()...)
	for n := 1; n <= 2; n++ {
		c.wantVariable(n, "LEVEL", fmt.Sprint(n))
		if got := c.variables(n)["NOTIFY_SOCKET"]; !strings.HasPrefix(got, s.state) {
			t.Errorf("app %d has NOTIFY_SOCKET=%q", n, got)
		}
		web.swap(keys{"LEVEL": "2"})
	}
}

// A key may be the app's PATH. The programs of the app and of hooks are still found by confit's own.
func TestSource_env_path(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("env app/PATH PATH")
	s.line(`validate sh -c 'echo "hook: $PATH"; test -e {candidate}'`)
	web := s.volume("app")
	web.swap(keys{"PATH": "/nowhere"})
	c := s.start("sh", "-c", `echo "found $PATH"`)
	c.Ends(0)
	c.Says("found /nowhere", 1)
	c.wantMention("hook: /nowhere")
}
