//go:build check

package daemons

// Reloaded with a bad file, icecast keeps the old one. It refuses to stay root. Of a request that came while it started, 4 of 80
// starts ended with signal 11, with nothing in front of it, too: Icecast 2.4.4.
var icecast = daemon{
	name: "icecast",
	key:  "icecast.xml",
	text: `
<icecast>
  <location>GENERATION</location>
  <hostname>localhost</hostname>
  <listen-socket><port>8080</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <authentication><source-password>a</source-password><admin-user>admin</admin-user><admin-password>b</admin-password></authentication>
  <paths><webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot><logdir>/run/log</logdir></paths>
  <logging><accesslog>-</accesslog><errorlog>-</errorlog></logging>
  <security><chroot>0</chroot><changeowner><user>nobody</user><group>nogroup</group></changeowner></security>
</icecast>
`,
	spoiled: "</no>\n",
	app:     "icecast2 -c /srv/etc/icecast.xml",
	shy:     true,
	network: "tcp",
	request: "GET /status-json.xsl HTTP/1.0\r\n\r\n",
}
