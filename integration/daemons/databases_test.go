//go:build check

package daemons

import (
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// database is a daemon behind an entrypoint script that makes its data at the first start, with the steps of the
// official images' scripts: a temporary server makes a role and a database, and a script of the user's fills it.
type database struct {
	daemon
	user string
	// server is the daemon's command line, which the script is given.
	server string
	// making is the script's part from an empty directory to the end of the temporary server.
	making string
	// asking sends a question in the name of the role that was made.
	asking string
	// shows asks for the value that each edit changes, and value is that of an edit by its number.
	shows, value string
	// rereading is a command that has the running daemon take the file.
	rereading string
}

var postgresMade = database{
	daemon: daemon{
		name: "postgres",
		key:  "postgresql.conf",
		text: "listen_addresses = ''\nunix_socket_directories = '/run/service'\nwork_mem = 'NUMBERMB'\n",
	},
	user:   "postgres",
	server: "postgres -D /srv/data -c config_file=/srv/etc/postgresql.conf",
	making: `
	$as initdb -D /srv/data --auth=trust --wal-segsize=1 --no-sync >/dev/null
	$as pg_ctl -D /srv/data -o '-c config_file=/srv/etc/postgresql.conf' -w start
	psql -h /run/service -U postgres -qc 'CREATE ROLE keeper LOGIN' -c 'CREATE DATABASE store OWNER keeper'
	$as sh /srv/fill
	$as pg_ctl -D /srv/data -m fast -w stop
`,
	asking:    `exec /usr/lib/postgresql/*/bin/psql -h /run/service -U keeper -d store -Atqc "$1"`,
	shows:     "SHOW work_mem",
	value:     "%dMB",
	rereading: `exec psql -h /run/service -U postgres -qAtc 'SELECT pg_reload_conf()'`,
}

// postgresFast has the stop signal of the official image, a fast shutdown.
var postgresFast = func() database {
	b := postgresMade
	b.stop = syscall.SIGINT
	return b
}()

var mariadbMade = database{
	daemon: daemon{
		name: "mariadb",
		key:  "my.cnf",
		text: `
[mariadbd]
datadir = /srv/data
tmpdir = /run/service
socket = /run/service/socket
pid-file = /run/service/pid
user = mysql
skip-networking
innodb-log-file-size = 4M
innodb-use-native-aio = 0
max-connections = 1NUMBER
`,
	},
	user:   "mysql",
	server: "mariadbd --defaults-file=/srv/etc/my.cnf",
	making: `
	client='--no-defaults --socket /run/service/socket --user root'
	$as mariadb-install-db --defaults-file=/srv/etc/my.cnf --auth-root-authentication-method=normal --skip-test-db >/dev/null
	$as "$@" &
	until mariadb-admin $client --silent ping 2>/dev/null; do sleep 0.2; done
	mariadb $client -e 'CREATE USER keeper@localhost; CREATE DATABASE store; GRANT ALL ON store.* TO keeper@localhost'
	$as sh /srv/fill
	mariadb-admin $client shutdown
	wait $!
`,
	asking: `exec mariadb --no-defaults --socket /run/service/socket --user keeper -BNe "$1" store`,
	shows:  "SELECT @@max_connections",
	value:  "1%d",
	rereading: `
value=$(sed -n 's/^max-/max_/p' /srv/etc/my.cnf)
mariadb --no-defaults --socket /run/service/socket --user root -e "SET GLOBAL $value"
`,
}

// asRoot is what the script does as root, work what follows until its last line, and fill the longest step of a first
// start.
const (
	asRoot = "mkdir -p /srv/data /run/service && chown USER /srv/data /run/service\n"
	fill   = `
echo fill begins
sleep 15
sh /srv/ask 'CREATE TABLE notes (word varchar(20))'
sh /srv/ask "INSERT INTO notes VALUES ('kept')"
`
	work = `
: "$NOTIFY_SOCKET" # the temporary server says READY=1 to confit
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
if [ -n "$(ls /srv/data)" ]; then
	echo skips the initialisation
else
	echo initialisation begins
	MAKING
	echo initialisation done
fi
`
)

// changer is what executes the daemon as another user.
type changer struct {
	name, command string
	first         bool // before the work, and not after it: the script executes itself as that user
}

var (
	setpriv   = changer{"setpriv", "setpriv --reuid USER --regid USER --clear-groups", false}
	gosu      = changer{"gosu", "gosu USER", false}
	gosuFirst = changer{"gosu first", "gosu USER", true}
)

// entrypoint is the script.
func (b database) entrypoint(c changer) string {
	text := asRoot + "as='" + c.command + "'\n" + work + "exec " + c.command + ` "$@"` + "\n"
	if c.first {
		again := asRoot + "exec " + c.command + ` bash "$0" "$@"` + "\n"
		text = "if [ $(id -u) = 0 ]; then\n" + again + "fi\nas=\n" + work + `exec "$@"` + "\n"
	}
	text = "set -eu\n" + text
	return strings.NewReplacer("MAKING", b.making, "USER", b.user).Replace(text)
}

// withoutPtrace lets confit run without the capability that container runtimes don't give: it can't read which program
// another user's process is.
const withoutPtrace = "/usr/bin/setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace --"

// newDatabase is a site whose database has no data yet.
func newDatabase(t *testing.T, b database, by changer, lines string) *site {
	t.Helper()
	d := b.daemon
	d.image = map[string]string{"entrypoint": b.entrypoint(by), "fill": fill, "ask": b.asking, "reread": b.rereading}
	maps.Copy(d.image, b.image)
	d.app = "bash /srv/entrypoint " + b.server
	d.lines = lines
	s := newSite(t, d)
	s.front = strings.Fields(withoutPtrace)
	s.swap(s.good(1))
	return s
}

// inside has a command run in the box, as confit does.
func (c *confit) inside(command ...string) (string, error) {
	argv := append(strings.Fields("-p -m -n "+withoutPtrace), command...)
	out, err := c.Visit(argv...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// answers waits for the answer of the database to a question.
func (c *confit) answers(question, want string) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("%q as the answer to %q", want, question), func() bool {
		said, err := c.inside("sh", root+"/ask", question)
		return err == nil && said == want
	})
}

// rowQuestion is answered by "kept" where the work of a first start is there: role, database, table and row.
const rowQuestion = "SELECT word FROM notes"

// wantMade checks that this work was done once, and is there.
func (c *confit) wantMade() {
	c.t.Helper()
	if begun, done := c.logged(workBegins), c.logged(workDone); begun != 1 || done != 1 {
		said, _ := c.inside("sh", root+"/ask", rowQuestion)
		c.t.Fatalf("the initialisation was begun %d times and done %d times; who asks for the row gets %q", begun, done, said)
	}
	c.answers(rowQuestion, "kept")
}

// wantBlind checks that confit can't read which program the daemon is.
func (c *confit) wantBlind() {
	c.t.Helper()
	pids := strings.Fields(harness.StatusField(fmt.Sprintf("/proc/%d", c.appPID()), "NSpid"))
	if len(pids) == 0 {
		c.t.Fatal("no app runs")
	}
	said, err := c.inside("readlink", "-v", "/proc/"+pids[len(pids)-1]+"/exe")
	if err == nil || !strings.Contains(said, "Permission denied") {
		c.t.Errorf("readlink says %q: confit sees the app's program, and this tests nothing", said)
	}
}
