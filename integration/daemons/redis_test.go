//go:build check

package daemons

// redis ignores HUP. It tells what it has to whoever asks.
var redis = daemon{
	name: "redis",
	key:  "redis.conf",
	text: `
bind 127.0.0.1
port 8080
save ""
dir /run
dbfilename GENERATION.rdb
`,
	spoiled: "no-such-directive on\n",
	app:     "redis-server /srv/etc/redis.conf",
	network: "tcp",
	request: "CONFIG GET dbfilename\r\nQUIT\r\n",
}
