//go:build check

package daemons

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
	"confit/integration/markdown"
)

const page = "docs/daemons.md"

// paged are the daemons that live by their rows of the page: TestRow does what somebody does who wrote its lines down.
var paged = []daemon{
	apache, blackbox, adminCaddy, celery, chrony, coreDNS, coturn, dnsdist, dnsmasq, exim, freeradius, gunicorn, haproxy, icecast,
	called("JVM", java), keepalived, knot, lighttpd, mariadb, memcached, monit, named, nats, nginx, node, nsd, pgbouncer, phpFPM, puma, recursor, redis, rsyncd, rsyslog,
	slapd, snmpd, squid, stunnel, transmission, unbound, uvicorn,
}

// elsewhere are those whose row other tests hold: of this package, and of integration/examples.
var elsewhere = []string{"alertmanager", "fluentd", "postgres", "prometheus", "redis-sentinel", "tini", "uwsgi", "varnish"}

// row is what the page says of a daemon.
type row struct {
	lines   []string
	badFile string
}

// rowOf finds the row of a daemon among those that are bold.
func rowOf(t *testing.T, d daemon) row {
	t.Helper()
	cells, found := marked(t)[d.name]
	if !found {
		t.Fatalf("%s has no bold %s", page, d.name)
	}
	return row{markdown.Spans(cells[1]), cells[2]}
}

// marked are the cells of the rows with a bold name, by that.
func marked(t *testing.T) map[string][]string {
	t.Helper()
	top, err := harness.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(top, page))
	must(t, err)
	rows := map[string][]string{}
	for _, cells := range markdown.Rows(markdown.Section(string(text), "## The table")) {
		if name, bold := strings.CutPrefix(cells[0], "**"); bold {
			name, _, _ = strings.Cut(name, "**")
			rows[name] = cells
		}
	}
	return rows
}

// has reports whether a line of the row begins with a word.
func (r row) has(word string) bool {
	return slices.ContainsFunc(r.lines, func(line string) bool { return strings.HasPrefix(line, word+" ") })
}

// under is the daemon with the lines of its row, but for those that begin with a word.
func (d daemon) under(r row, but string) daemon {
	d.lines, d.reload, d.stop = "", 0, 0
	for _, line := range r.lines {
		word, value, _ := strings.Cut(line, " ")
		signal := unix.SignalNum("SIG" + strings.TrimPrefix(value, "signal:"))
		switch {
		case word == but:
		case word == "reload" && signal != 0:
			d.reload = signal
		case word == "stop-signal":
			d.stop = signal
		default:
			d.lines += strings.NewReplacer("KEY", d.key, "FILE", root+"/etc/"+d.key).Replace(line) + "\n"
		}
	}
	return d
}

// soon are the flags for edits that nothing is wrong with.
var soon = []string{"--probation", "1s", "--splay", "0"}

// By the lines of the page a good edit is in force, the check refuses a bad one, and a stop ends the container with 0.
func TestRow(t *testing.T) {
	for _, d := range paged {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r := rowOf(t, d)
			s, c := up(t, d.under(r, ""), soon...)
			s.swap(s.good(2))
			c.serves(name(2))
			c.accepts(2)
			if r.has("validate") {
				s.swap(s.bad())
				c.logs(`msg="candidate rejected"`, "step=validate", `live="generation 2, `)
				c.serves(name(2))
			}
			c.ready()
			c.stops(0)
		})
	}
}

// What the page says of a bad file is so, when nothing checks it.
func TestRow_bad_file(t *testing.T) {
	for _, d := range paged {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r := rowOf(t, d)
			s, c := up(t, d.under(r, "validate"), soon...)
			switch word, _, _ := strings.Cut(r.badFile, " "); strings.TrimRight(word, ",;:.") {
			case "dies", "`caddy": // reload fails
				c.stops(0)
				s.start("--probation", "1m", "--splay", "0").rollsBack() // a busy machine may need seconds to start what ends at once
			case "keeps":
				s.swap(s.bad())
				c.accepts(2)
				c.serves(name(1))
			case "skips", "goes", "refuses":
				s.swap(s.bad())
				c.accepts(2)
			default:
				t.Errorf("%s doesn't say what becomes of it: %s", page, r.badFile)
			}
		})
	}
}

// rollsBack makes a bad edit of what was accepted before.
func (c *confit) rollsBack() {
	c.t.Helper()
	c.serves(name(1))
	c.ready()
	c.swap(c.bad())
	c.logs(`msg="candidate rejected"`, `live="generation 1, `)
	c.logs(`msg="rolled back"`, "generation=1 ")
	c.serves(name(1))
}

// Each daemon that is bold in the page is run, and no other.
func TestPage(t *testing.T) {
	rows := marked(t)
	names := slices.Clone(elsewhere)
	for _, d := range paged {
		names = append(names, d.name)
	}
	for name := range rows {
		if !slices.Contains(names, name) {
			t.Errorf("%s has %s bold, and nothing runs it", page, name)
		}
	}
	if len(rows) != len(names) {
		t.Errorf("%s has %d daemons bold, and %d are run", page, len(rows), len(names))
	}
}
