//go:build check

package daemons

import "testing"

// At HUP freeradius opens all its files, and goes on with the clients and listeners of its start.
var freeradius = daemon{
	name: "freeradius",
	key:  "radiusd.conf",
	text: `
log {
	destination = stdout
}
modules {
}
client local {
	ipaddr = 127.0.0.1
	secret = testing123
	shortname = GENERATION
}
server default {
	listen {
		type = auth
		ipaddr = 127.0.0.1
		port = 8080
	}
	authorize {
		update control {
			Auth-Type := Accept
		}
		update reply {
			Reply-Message := "%{Client-Shortname}"
		}
	}
}
`,
	spoiled: "no_such_section {\n",
	app:     "freeradius -f -l stdout -d /srv/etc",
	network: "udp",
	request: accessRequest,
}

// accessRequest is an Access-Request (RFC 2865, 3) of a user u: code, identifier, length, authenticator, User-Name.
const accessRequest = "\x01\x01\x00\x17" + "0123456789abcdef" + "\x01\x03u"

// A file that only a module reads needs no restart.
func TestFreeradius_users(t *testing.T) {
	t.Parallel()
	d := freeradius
	d.image = map[string]string{"etc/radiusd.conf": `
log {
	destination = stdout
}
modules {
	files {
		usersfile = /srv/etc/users
	}
}
client local {
	ipaddr = 127.0.0.1
	secret = testing123
}
server default {
	listen {
		type = auth
		ipaddr = 127.0.0.1
		port = 8080
	}
	authorize {
		files
	}
}
`}
	d.key, d.text = "users", "DEFAULT Auth-Type := Accept\n\tReply-Message := \"GENERATION\"\n"
	d.link = "link web/users /srv/etc/users reload=signal:HUP\n"
	s, c := up(t, d)
	for n := 2; n < 4; n++ {
		s.swap(s.good(n))
		c.serves(name(n))
		c.accepts(n)
	}
	c.wantLogged(1, `msg="app started"`)
}
