package daemons

import (
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// daemon is one row of the suite: a Debian package, and how it is used.
type daemon struct {
	name string
	// key is its configuration in the volume web, and the name of the file below /srv/etc that is linked to it.
	key string
	// text is the configuration, in which GENERATION stands for the name that the service shows to whoever asks.
	text string
	// spoiled is what a bad edit adds to it.
	spoiled string
	// image is what else is there, below /srv.
	image map[string]string
	// app is the command line.
	app string
	// reload and stop are the signals by which the daemon is told so.
	reload, stop syscall.Signal
	// validate is its own check.
	validate string
	// keeps is true when the daemon that is told of a bad file only logs, and goes on with what it has.
	keeps bool
	// network is tcp or udp. The request is answered with something that holds the generation's name.
	network, request string
}

const (
	address     = "127.0.0.1:8080"
	placeholder = "GENERATION"
	httpRequest = "GET / HTTP/1.0\r\n\r\n"
)

var daemons = []daemon{apache, gunicorn, haproxy, nginx, phpFPM, squid, unbound}

// good is the configuration of generation n.
func (d daemon) good(n int) string {
	return strings.ReplaceAll(d.text, placeholder, name(n))
}

// bad is one that the daemon refuses.
func (d daemon) bad() string {
	return strings.ReplaceAll(d.text, placeholder, "generation-bad") + d.spoiled
}

// name is what the service shows of generation n.
func name(n int) string {
	return fmt.Sprintf("generation-%d", n)
}

// links is the links file.
func (d daemon) links() string {
	return fmt.Sprintf("link web/%s %s/etc/%s\nreload signal:%s\nstop-signal %s\n",
		d.key, root, d.key, signalName(d.reload), signalName(d.stop))
}

// verify is for daemons that keep to themselves that they refused: it compares what is served with what is linked. Five
// seconds are enough for a reload here, and few enough for a test.
func (d daemon) verify() []string {
	const script = `exec 3<>/dev/tcp/127.0.0.1/8080; printf "GET / HTTP/1.0\r\n\r\n" >&3; ` +
		`grep -q "$(grep -o "generation-[a-z0-9]*" "$0")" <&3`
	return []string{"--verify", "bash -c '" + script + "' " + root + "/etc/" + d.key, "--verify-timeout", "5s"}
}

func signalName(s syscall.Signal) string {
	return strings.TrimPrefix(unix.SignalName(s), "SIG")
}
