//go:build check

package watchers

import "testing"

// rsyslogd closes and opens its outputs at HUP, and reads nothing: the edit isn't in force, and both the log and the status say so.
// That its own check has opened what was published is no excuse.
func TestRead_rsyslog(t *testing.T) {
	t.Parallel()
	s := newSite(t, "reload signal:HUP", "validate rsyslogd -N1 -f "+configuration)
	s.swap(rsyslogConf("first"))
	c := s.start("rsyslogd", "-n", "-iNONE", "-f", configuration)
	c.logs(1, `msg="generation accepted" generation=1 `)
	c.logs(1, "first: ", "] start")
	s.swap(rsyslogConf("second"))
	c.logs(1, `msg="app reloaded" signal=HUP`)
	c.logs(1, "level=WARN", `msg="app has not opened what changed"`, "reload restart")
	c.Eventually("read: false", func() bool { read := c.read(); return read != nil && !*read })
	c.logs(1, "first: ", "rsyslogd was HUPed")
	c.logs(0, "second: ")
	c.logs(1, started)
}

func rsyslogConf(name string) string {
	return `
global(processInternalMessages="on")
template(name="named" type="string" string="` + name + `: %rawmsg%\n")
action(type="omfile" file="/dev/stdout" template="named")
`
}
