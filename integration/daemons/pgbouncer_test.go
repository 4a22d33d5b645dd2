//go:build check

package daemons

import (
	"bytes"
	"io"
)

// Reloaded with a bad file, pgbouncer takes what it can read of it. It shows its databases to its administrator.
var pgbouncer = daemon{
	name: "pgbouncer",
	key:  "pgbouncer.ini",
	text: `
[databases]
GENERATION = host=127.0.0.1
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 8080
unix_socket_dir =
auth_type = any
user = postgres
`,
	spoiled:  "no_such_parameter = 1\n",
	app:      "pgbouncer /srv/etc/pgbouncer.ini",
	network:  "tcp",
	question: askDatabases,
}

// These are messages of PostgreSQL's protocol 3.0, as is the server's that it is ready for the next one.
const (
	startup     = "\x00\x00\x00\x2b\x00\x03\x00\x00user\x00pgbouncer\x00database\x00pgbouncer\x00\x00"
	showAndQuit = "Q\x00\x00\x00\x13SHOW DATABASES\x00" + "X\x00\x00\x00\x04"
	serverReady = "Z\x00\x00\x00\x05I"
)

// askDatabases logs in, waits until the server is ready, and asks.
func askDatabases(c *confit) (string, error) {
	connection, err := c.dial()
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, startup); err != nil {
		return "", err
	}
	var said []byte
	for packet := make([]byte, 4096); !bytes.HasSuffix(said, []byte(serverReady)); {
		n, err := connection.Read(packet)
		if err != nil {
			return "", err
		}
		said = append(said, packet[:n]...)
	}
	if _, err := io.WriteString(connection, showAndQuit); err != nil {
		return "", err
	}
	text, err := io.ReadAll(connection)
	return string(text), err
}
