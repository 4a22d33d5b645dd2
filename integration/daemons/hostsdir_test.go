//go:build check

package daemons

import "testing"

// dnsmasq watches the directory that hostsdir names, so it needs no restart for names.
func TestTouch_hostsdir(t *testing.T) {
	t.Parallel()
	d := dnsmasq
	d.key, d.text = "names", "10.0.0.1 GENERATION\n"
	d.link = "link web/ /srv/etc/hosts.d/ reload=touch\n"
	d.image = map[string]string{"dnsmasq.conf": "listen-address=127.0.0.1\nport=8080\nno-resolv\nno-hosts\nuser=root\npid-file=\nhostsdir=/srv/etc/hosts.d\n"}
	d.app = "dnsmasq --keep-in-foreground --log-facility=- -C /srv/dnsmasq.conf"
	d.request = ptrQuery
	s, c := up(t, d, soon...)
	for n := 2; n < 4; n++ {
		s.swap(s.good(n))
		c.serves(name(n))
		c.accepts(n)
	}
	c.wantLogged(1, `msg="app started"`)
	c.wantLogged(2, reloaded, "action=touch")
}

// ptrQuery asks for the name of 10.0.0.1.
const ptrQuery = "\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + "\x011\x010\x010\x0210\x07in-addr\x04arpa\x00" + "\x00\x0c\x00\x01"
