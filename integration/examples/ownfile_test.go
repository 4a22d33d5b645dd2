//go:build check

package examples

import (
	"strings"
	"testing"

	"confit/integration/volume"
)

// sentinel is one whose file begins as a key and is its own from then on.
func sentinel(t *testing.T, block string) {
	c := sentinelPod(ownFile(t)).start(t, block)
	id, err := myID(c)
	must(t, err)
	c.answers(quorum, "\n1\n")
	c.edit("set.sh", "quorum 1", "quorum 2")
	c.answers(quorum, "\n2\n")
	c.logs(2, `msg="generation accepted"`)
	revert := c.edit("set.sh", "quorum 2", "quorom 2")
	c.logs(1, `msg="candidate rejected"`, "step=reload")
	revert()
	c.logs(1, `msg="mounted configuration is live again"`)
	c.edit("sentinel.conf", "30000", "20000")
	c.logs(3, `msg="generation accepted"`)
	if started := c.Lines(`msg="app started"`); len(started) != 1 {
		t.Errorf("the sentinel was started more than once: %s", strings.Join(started, "\n"))
	}
	c.restarts()
	c.answers(quorum, "\n2\n")
	c.answers(myID, id)
}

// linkedSentinel is one whose file is a link: after a restart of the container it is another one.
func linkedSentinel(t *testing.T) {
	c := sentinelPod([]string{"redis-server", "/etc/redis/first.conf", "--sentinel"}).start(t, "link web/sentinel.conf /etc/redis/first.conf\n")
	before, err := myID(c)
	must(t, err)
	c.restarts()
	c.answers(quorum, "\n1\n") // it answers
	if after, err := myID(c); err != nil || after == before {
		t.Errorf("after a restart the sentinel is %q, before %q: %v", after, before, err)
	}
}

// ownFile is the command of the page, which makes the file once.
func ownFile(t *testing.T) []string {
	t.Helper()
	command, found := strings.CutPrefix(pageBlocks(t, "daemons.md")["Programs that write their own file 2"], "confit -- sh -c '")
	if !found {
		t.Fatal("docs/daemons.md doesn't make the file")
	}
	return []string{"sh", "-c", strings.TrimSuffix(command, "'\n")}
}

func sentinelPod(app []string) pod {
	return pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings(
			"sentinel.conf", "bind 127.0.0.1\nsentinel monitor main 127.0.0.1 6379 1\nsentinel down-after-milliseconds main 30000\n",
			"set.sh", "redis-cli -e -p 26379 SENTINEL SET main quorum 1\n")},
		app: app, base: func(c *container) { c.write("/data/.keep", "") },
	}
}

// restarts ends the container and starts another one on what is left.
func (c *container) restarts() {
	c.t.Helper()
	c.Kill()
	c.start("CONFIT_PROBATION=3s")
	c.logs(1, `msg="app started"`)
}

func myID(c *container) (string, error) {
	return execute("redis-cli", "-e", "-p", "26379", "SENTINEL", "MYID")(c)
}

func quorum(c *container) (string, error) {
	return execute("sh", "-c", "redis-cli -e -p 26379 SENTINEL MASTER main | grep -A1 -x quorum; echo")(c)
}
