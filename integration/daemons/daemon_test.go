//go:build check

package daemons

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"confit/integration/internal/harness"
)

// daemon is one row of the suite: a Debian package, and how it is used.
type daemon struct {
	name string
	// key is its configuration in the volume web, and the name of the file below /srv/etc that is linked to it.
	key string
	// text is the configuration, in which GENERATION stands for the name that the service shows to whoever asks, and NUMBER
	// for its number.
	text string
	// mode is that of the key; 0: what the kubelet gives by default.
	mode fs.FileMode
	// spoiled is what a bad edit adds to it.
	spoiled string
	// image is what else is there, below /srv.
	image map[string]string
	// app is the command line.
	app string
	// reload and stop are the signals that reload and stop the daemon; 0: what confit does by default, auto and TERM.
	reload, stop syscall.Signal
	// blocks is true when it has no handler for its reload signal, and reads that from a signalfd(2).
	blocks bool
	// link is the line that links the key, when it isn't as usual; lines are further ones of the links file.
	link, lines string
	// validate is its own check.
	validate string
	// keeps is true when the daemon only logs a bad file, and goes on with what it has.
	keeps bool
	// network is tcp or udp. The answer to the request holds the generation's name.
	network, request string
	// shy is true when it may crash of a question that comes while it starts.
	shy bool
	// question asks a service for which a request is not enough.
	question func(*confit) (string, error)
}

const (
	address     = "127.0.0.1:8080"
	placeholder = "GENERATION"
	httpRequest = "GET / HTTP/1.0\r\n\r\n"
)

var daemons = []daemon{apache, gunicorn, haproxy, nginx, phpFPM, squid, unbound}

// good is the configuration of generation n.
func (d daemon) good(n int) string {
	return strings.NewReplacer(placeholder, name(n), "NUMBER", strconv.Itoa(n)).Replace(d.text)
}

// bad is one that the daemon refuses.
func (d daemon) bad() string {
	return d.good(badNumber) + d.spoiled
}

// badNumber is that of a bad edit. No test has as many good ones.
const badNumber = 9

// name is what the service shows of generation n.
func name(n int) string {
	return fmt.Sprintf("generation-%d", n)
}

// links is the links file.
func (d daemon) links() string {
	lines := d.link
	if lines == "" {
		lines = fmt.Sprintf("link web/%s %s/etc/%s\n", d.key, root, d.key)
	}
	lines += d.lines
	if d.reload != 0 {
		lines += "reload signal:" + harness.SignalName(d.reload) + "\n"
	}
	if d.stop != 0 {
		lines += "stop-signal " + harness.SignalName(d.stop) + "\n"
	}
	return lines
}

// toldBy is the daemon with another reload signal.
func (d daemon) toldBy(reload syscall.Signal) daemon {
	d.reload = reload
	return d
}

// verify is for daemons that don't say that they refused a file: it compares what is served with what is linked. Five seconds are
// enough for a reload here, and few enough for a test.
func (d daemon) verify() []string {
	const script = `exec 3<>/dev/tcp/127.0.0.1/8080; printf "GET / HTTP/1.0\r\n\r\n" >&3; ` +
		`grep -q "$(grep -o "generation-[a-z0-9]*" "$0")" <&3`
	return []string{"--verify", "bash -c '" + script + "' " + root + "/etc/" + d.key, "--verify-timeout", "5s"}
}
