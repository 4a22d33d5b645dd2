//go:build check

package daemons

import (
	"fmt"
	"strings"
)

// memcached reads one file, that of its users: at HUP again. If it can't, it keeps the old ones.
var memcached = daemon{
	name:     "memcached",
	key:      "users",
	text:     "name:GENERATION\n",
	spoiled:  "a line without a password\n",
	app:      "memcached -u root -U 0 -l 127.0.0.1 -p 8080 -Y /srv/etc/users",
	network:  "tcp",
	question: askWhoMayLogIn,
}

// askWhoMayLogIn tries the password of each generation.
func askWhoMayLogIn(c *confit) (string, error) {
	for n := 1; n <= badNumber; n++ {
		user := "name " + name(n)
		answer, err := c.firstWords(fmt.Sprintf("set key 0 0 %d\r\n%s\r\n", len(user), user))
		if err != nil || strings.HasPrefix(answer, "STORED") {
			return name(n), err
		}
	}
	return "", nil
}
