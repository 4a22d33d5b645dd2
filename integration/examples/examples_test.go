//go:build check

package examples

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// example is a directory below examples/, and what its test needs to know of it.
type example struct {
	name string
	// key is what is edited: its first edition becomes the second.
	key string
	// ask asks the service, whose answer holds the edition.
	ask func(*container) (string, error)
	// taken is in the log when an edit is taken.
	taken string
	// before becomes after in a bad edit of a key, the same unless it is named, which is rejected at a step.
	spoiled, before, after, step string
	// code is what the container ends with when it is stopped.
	code int
	// base puts into the image what the Dockerfile's base has and this machine has not.
	base func(*container)
	// around makes what is around the container, before its first program starts.
	around func(*container)
	// last looks at what there must be before the stop.
	last func(*container)
}

var examples = []example{
	{
		name: "nginx", key: "index.html", ask: get("http://127.0.0.1:8080/"), taken: `msg="generation published"`,
		spoiled: "site.conf", before: "listen 8080;", after: "listen 8080", step: "validate",
	},
	fleet,
	fluentd,
	{
		name: "nginx-templates", key: "default.conf.template", ask: get("http://127.0.0.1:8080/"), taken: reloaded,
		before: "listen", after: "listne", step: "validate", base: provideTemplates,
	},
	{
		name: "haproxy", key: "haproxy.cfg", ask: get("http://127.0.0.1:8080/"), taken: reloaded,
		before: "frontend web", after: "frontend web\n    no-such-keyword", step: "validate", last: refuseAddress,
	},
	{
		name: "apache", key: "apache2.conf", ask: get("http://127.0.0.1:8080/none"), taken: reloaded,
		before: "Listen 8080", after: "Listen 8080\nNoSuchDirective on", step: "validate",
	},
	{
		name: "shell", key: "main.sh", ask: lastLine("this is"), taken: restarting,
		before: "echo", after: "exit 7\necho", step: "probation",
	},
	{
		name: "prometheus", key: "self.rules.yml", ask: get("http://127.0.0.1:9090/api/v1/rules"), taken: reloaded,
		before: "expr: up == 0", after: "expr: up == ", step: "validate",
	},
	{
		name: "alertmanager", key: "alertmanager.yml", ask: get("http://127.0.0.1:9093/api/v2/status"), taken: reloaded,
		before: "receiver: ", after: "receiver: no such ", step: "validate",
	},
	{
		name: "named", key: "example.test.zone", ask: txt("127.0.0.1:5353", "edition.example.test."), taken: reloaded,
		before: "IN SOA", after: "IN NOSUCHTYPE", step: "validate",
	},
	{
		name: "postgres", key: "postgresql.conf", ask: execute("psql", "-h", "/tmp", "-U", "postgres", "-tAc", "SHOW example.edition"), taken: reloaded,
		before: "4MB", after: "much", step: "validate", last: refusesRules,
	},
	{
		name: "rsyslog", key: "rsyslog.conf", ask: printed((*container).log), taken: restarting,
		before: "module", after: "no such directive\nmodule", step: "validate",
	},
	{
		name: "node", key: "config.json", ask: get("http://127.0.0.1:8080/"), taken: restarting,
		before: "greeting", after: "greetings", step: "validate",
	},
}

// provideTemplates is the official nginx image's script, which calls envsubst.
func provideTemplates(c *container) {
	c.t.Helper()
	top, err := harness.Root()
	must(c.t, err)
	c.write("/docker-entrypoint.d/20-envsubst-on-templates.sh", readFile(c.t, filepath.Join(top, "integration/confit/testdata/envsubst-on-templates.sh")))
}

const (
	first, second = "first edition", "second edition"
	reloaded      = `msg="app reloaded"`
	restarting    = `msg="app restarting"`
)

// TestExample is the life of each: it starts and serves; a good edit is served after a reload; after a bad edit the old
// configuration is served, until the edit is reverted and after it; a stop ends with the right code.
func TestExample(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			c := e.start(t)
			c.edit(e.key, first, second)
			c.serves(e, second)
			c.logs(1, e.taken)
			c.logs(2, `msg="generation accepted"`)

			revert := c.edit(cmp.Or(e.spoiled, e.key), e.before, e.after)
			c.logs(1, `msg="candidate rejected"`, "step="+e.step)
			if e.step == "probation" || e.step == "verify" {
				c.logs(1, `msg="rolled back"`)
			}
			c.serves(e, second)
			revert()
			c.logs(1, `msg="mounted configuration is live again"`)
			c.serves(e, second)

			if e.last != nil {
				e.last(c)
			}
			c.Signal(c.stopSignal)
			c.Ends(e.code)
		})
	}
}

// refusesRules is for postgres, which finds a mistake in pg_hba.conf only when it is asked.
func refusesRules(c *container) {
	c.t.Helper()
	revert := c.edit("pg_hba.conf", "scram-sha-256", "no-such-method")
	c.logs(1, `msg="candidate rejected"`, "step=verify")
	c.logs(1, `|invalid authentication method "no-such-method"`)
	revert()
	c.logs(2, `msg="mounted configuration is live again"`)
}

// notRun are examples whose program Debian has not. Their image is built, and their manifest read.
var notRun = []string{"fluent-bit"}

func TestExample_not_run(t *testing.T) {
	for _, name := range notRun {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newContainer(t, name)
			c.build()
			c.mountVolumes()
		})
	}
}

// TestComplete holds that each example has a test.
func TestComplete(t *testing.T) {
	known := slices.Clone(notRun)
	for _, e := range examples {
		known = append(known, e.name)
	}
	top, err := harness.Root()
	must(t, err)
	directories, err := filepath.Glob(filepath.Join(top, "examples/*/links"))
	must(t, err)
	for _, path := range directories {
		if name := filepath.Base(filepath.Dir(path)); !slices.Contains(known, name) {
			t.Errorf("examples/%s has no test", name)
		}
	}
}

// start starts the example with a short probation, and waits until its first edition is served and accepted.
func (e example) start(t *testing.T) *container {
	t.Helper()
	c := newContainer(t, e.name)
	if e.base != nil {
		e.base(c)
	}
	c.build()
	c.mountVolumes()
	c.around = e.around
	c.start("CONFIT_PROBATION=3s")
	c.serves(e, first)
	c.logs(1, `msg="generation accepted"`)
	return c
}

// exampleNamed finds an example that another test needs, too.
func exampleNamed(t *testing.T, name string) example {
	t.Helper()
	n := slices.IndexFunc(examples, func(e example) bool { return e.name == name })
	if n < 0 {
		t.Fatalf("there is no example %q", name)
	}
	return examples[n]
}

// serves waits until the service answers with this edition.
func (c *container) serves(e example, edition string) {
	c.t.Helper()
	c.answers(e.ask, edition)
}

// answers waits until an answer holds a text.
func (c *container) answers(ask func(*container) (string, error), text string) {
	c.t.Helper()
	var answer string
	var err error
	defer func() {
		if c.t.Failed() {
			c.t.Logf("the last answer: %.500q, %v", answer, err)
		}
	}()
	c.Eventually(fmt.Sprintf("an answer with %q", text), func() bool {
		answer, err = ask(c)
		return err == nil && strings.Contains(answer, text)
	})
}
