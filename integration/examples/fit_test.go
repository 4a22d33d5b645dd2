//go:build check

package examples

import (
	"strings"
	"testing"

	"confit/integration/volume"
)

// mismatched has openssl find a key that doesn't fit its certificate. apache's own check passes it, and apache ends.
func mismatched(t *testing.T, block string) {
	const conf = `ServerName localhost
ServerRoot /usr/lib/apache2
DefaultRuntimeDir /tmp
PidFile /tmp/apache2.pid
ErrorLog /dev/stderr
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule ssl_module modules/mod_ssl.so
User www-data
Group www-data
Listen 443
SSLEngine on
SSLCertificateFile /etc/apache2/tls/tls.crt
SSLCertificateKeyFile /etc/apache2/tls/tls.key
`
	before, after := newPair(t, first), newPair(t, second)
	p := pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("apache2.conf", conf), "tls": before},
		app:        []string{"apache2", "-DFOREGROUND", "-f", "/etc/apache2/apache2.conf"}, secrets: []string{"tls"},
	}
	c := p.start(t, block)
	c.rotates(before, after)
	if started := c.Lines(`msg="app started"`); len(started) != 1 {
		t.Errorf("apache was started more than once: %s", strings.Join(started, "\n"))
	}
	p.configMaps["tls"] = before
	c = p.start(t, withoutLine(block, "validate")+"validate apache2 -t -f /etc/apache2/apache2.conf\n")
	c.answers(subject, first)
	c.replace("tls", volume.Payload{"tls.crt": before["tls.crt"], "tls.key": after["tls.key"]})
	c.logs(1, `msg="candidate rejected"`, "step=probation")
	c.logs(1, `msg="rolled back"`)
	c.answers(subject, first)
}

// withoutLine is a links file without the lines that begin with a word.
func withoutLine(block, word string) (rest string) {
	for line := range strings.Lines(block) {
		if !strings.HasPrefix(line, word+" ") {
			rest += line
		}
	}
	return rest
}
