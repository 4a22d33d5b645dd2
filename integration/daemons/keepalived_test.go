//go:build check

package daemons

import (
	"fmt"
	"os"
	"regexp"
	"slices"
)

// Keepalived waits for HUP with signalfd(2), and reloads: it takes away addresses and adds others.
var keepalived = daemon{
	name: "keepalived",
	key:  "keepalived.conf",
	text: `
static_ipaddress {
	10.9.9.NUMBER/32 dev lo
}
`,
	spoiled:  "no_such_keyword\n",
	app:      "keepalived --dont-fork --log-console --use-file=/srv/etc/keepalived.conf",
	question: askForAddresses,
	blocks:   true,
}

var addressPattern = regexp.MustCompile(`10\.9\.9\.(\d)\n`)

// askForAddresses looks at the addresses of the network namespace, as keepalived answers no requests.
func askForAddresses(c *confit) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/fib_trie", c.PID))
	var found []string
	for _, match := range addressPattern.FindAllStringSubmatch(string(text), -1) {
		found = append(found, "generation-"+match[1])
	}
	if found = slices.Compact(found); len(found) != 1 {
		return "", fmt.Errorf("addresses of %q: %v", found, err)
	}
	return found[0], nil
}
