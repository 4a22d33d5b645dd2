//go:build check

package daemons

import (
	"encoding/binary"
	"path/filepath"
	"syscall"
)

// Reloaded with a bad file, php-fpm executes itself anew and exits with 78.
var phpFPM = daemon{
	name: "php-fpm",
	key:  "php-fpm.conf",
	text: `
[global]
error_log = /proc/self/fd/2
[www]
user = www-data
listen = ` + address + `
pm = static
pm.max_children = 1
ping.path = /ping
ping.response = GENERATION
`,
	spoiled:  "no_such_entry = 1\n",
	app:      phpProgram + " -F -y /srv/etc/php-fpm.conf",
	reload:   syscall.SIGUSR2,
	stop:     syscall.SIGQUIT,
	validate: phpProgram + " -t -y {candidate}/web/php-fpm.conf",
	network:  "tcp",
	request:  fastCGI("REQUEST_METHOD", "GET", "SCRIPT_NAME", "/ping", "SCRIPT_FILENAME", "/ping"),
}

// phpProgram carries PHP's version in its name.
var phpProgram = func() string {
	found, _ := filepath.Glob("/usr/sbin/php-fpm*")
	return filepath.Base(append(found, "php-fpm")[0])
}()

// fastCGI is a request without a body, after which the connection is closed: three records of the FastCGI specification,
// 3.3, each with the version, its type, the request's number, two lengths and a reserved byte before the content.
func fastCGI(params ...string) string {
	const beginRequest, paramsRecord, stdin = 1, 4, 5
	const responder = "\x00\x01\x00\x00\x00\x00\x00\x00"
	var pairs []byte
	for i := 0; i < len(params); i += 2 {
		pairs = append(pairs, byte(len(params[i])), byte(len(params[i+1])))
		pairs = append(append(pairs, params[i]...), params[i+1]...)
	}
	record := func(kind byte, content string) string {
		header := binary.BigEndian.AppendUint16([]byte{1, kind, 0, 1}, uint16(len(content)))
		return string(append(header, 0, 0)) + content
	}
	return record(beginRequest, responder) + record(paramsRecord, string(pairs)) + record(paramsRecord, "") + record(stdin, "")
}
