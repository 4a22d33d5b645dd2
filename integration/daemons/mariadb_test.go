//go:build check

package daemons

// At HUP MariaDB flushes tables and logs: of its general log, which begins with how the server was started, it begins another.
// It lets the configuration choose the version that it greets clients with.
var mariadb = daemon{
	name: "mariadb",
	key:  "my.cnf",
	text: `
[mariadbd]
version = 11.0-GENERATION
datadir = /srv/data
port = 8080
bind-address = 127.0.0.1
socket = /run/mysqld.sock
pid-file = /run/mysqld.pid
skip-grant-tables
skip-name-resolve
innodb-log-file-size = 4M
innodb-use-native-aio = 0
general-log
general-log-file = /proc/self/fd/2
`,
	spoiled: "no-such-option\n",
	image:   map[string]string{"data/.keep": ""},
	app:     "mariadbd --defaults-file=/srv/etc/my.cnf --user=root",
	network: "tcp",
	request: "\x01\x00\x00\x01\x00", // too short to be an answer to the greeting, so it ends the connection
}

// mysql is the same under the name that it has in MySQL's and MariaDB's older images.
var mysql = func() daemon {
	d := mariadb
	d.name = "mysql"
	d.image = map[string]string{"data/.keep": "", "entrypoint": "cp /usr/sbin/mariadbd /run/mysqld && exec /run/mysqld \"$@\"\n"}
	d.app = "sh /srv/entrypoint --defaults-file=/srv/etc/my.cnf --user=root"
	return d
}()
