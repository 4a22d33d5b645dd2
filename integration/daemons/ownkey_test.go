//go:build check

package daemons

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/volume"
)

// ownKeys are programs that take a private key of root's which its group may read, as a pod's fsGroup makes it, and refuse one of their own
// user's. Each script ends with 0 if the program takes $dir/key.pem or $dir/host.key.
var ownKeys = map[string]string{
	"postgres and libpq": `
cp -r /run/data /run/data-$at
postgres -D /run/data-$at -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c ssl=on \
	-c ssl_cert_file=$dir/key.pem -c ssl_key_file=$dir/key.pem &
n=0
until psql "host=127.0.0.1 user=app dbname=postgres sslmode=require sslcert=$dir/key.pem sslkey=$dir/key.pem" -c 'select 1'; do
	kill -0 $! && [ $((n += 1)) -lt 300 ] || exit 1
	sleep 0.1
done
kill -INT $!
wait $!
`,
	"sshd":       `/usr/sbin/sshd -t -f none -h $dir/host.key`,
	"ssh-keygen": `ssh-keygen -y -f $dir/host.key`,
}

// ownKeysFront prepares the box as root, and starts confit as a user whose supplementary group is the keys'. initdb asks for the user's name.
const ownKeysFront = `set -e
mkdir /run/data
chown 10001 /run/confit /run/data /srv/etc
echo app:x:10001:10001::/:/bin/sh >/run/passwd
mount --bind /run/passwd /etc/passwd
export PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
front="setpriv --reuid=10001 --regid=10001 --groups=20001"
chmod 1777 /run
$front initdb -D /run/data --no-sync -A trust >/dev/null
exec $front "$@"
`

// What takes a key from the mount takes confit's copy of it.
func TestOwnKey(t *testing.T) {
	for name, script := range ownKeys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, daemon{
				app: "sh /srv/run", link: "link web/ /srv/etc/\n",
				image: map[string]string{"front": ownKeysFront, "run": "for dir in /srv/volumes/web /srv/etc; do\nat=${dir##*/}\n" +
					"(" + script + ")\necho \"$dir: $?\"\ndone\nexec sleep infinity\n"},
			})
			s.front = []string{"/bin/sh", "/srv/front"}
			s.holdKeys(20001)
			c := s.start("--entrypoint-timeout", "0")
			if said := c.Says("/srv/volumes/web: ", 1); said != "/srv/volumes/web: 0" {
				t.Errorf("the mount isn't taken: %q", said)
			}
			if said := c.Says("/srv/etc: ", 1); said != "/srv/etc: 0" {
				t.Errorf("the copy isn't taken: %q", said)
			}
		})
	}
}

// holdKeys gives the volume a certificate with its key, and a host key, of root and for a group.
func (s *site) holdKeys(group int) {
	s.t.Helper()
	host := filepath.Join(s.dir, "host.key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", host).CombinedOutput(); err != nil {
		s.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	data, err := os.ReadFile(host)
	must(s.t, err)
	web := filepath.Join(s.dir, "volumes/web")
	must(s.t, volume.Write(web, volume.Payload{
		"key.pem": {Data: []byte(strings.TrimSpace(certificate()) + "\n"), Mode: 0o440}, "host.key": {Data: data, Mode: 0o440},
	}))
	must(s.t, filepath.WalkDir(web, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, -1, group)
	}))
}
