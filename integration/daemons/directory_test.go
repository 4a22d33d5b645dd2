//go:build check

package daemons

import "testing"

// An app whose working directory is one link to a whole directory stays in the generation of its start, whatever the link
// becomes. confit logs this, and logs nothing of an app that works anywhere else.
func TestWorkingDirectory(t *testing.T) {
	for directory, warnings := range map[string]int{"srv/etc/site": 1, "srv/etc": 0} {
		t.Run(directory, func(t *testing.T) {
			t.Parallel()
			d := nginx
			d.link = "link web/ /srv/etc/site\n"
			d.image = map[string]string{"entrypoint": "cd /" + directory + " && exec \"$@\"\n"}
			d.app = "sh /srv/entrypoint nginx -e stderr -c /srv/etc/site/nginx.conf"
			s, c := up(t, d)
			s.swap(s.good(2))
			c.serves(name(2))
			c.accepts(2)
			c.wantLogged(warnings, "level=WARN", "working directory")
		})
	}
}
