package notify

import (
	"path"
	"strings"
)

const (
	// variable names the socket to an app, sd_notify(3).
	variable = "NOTIFY_SOCKET"
	// socketName is the socket's name in the state directory.
	socketName = "notify"
)

// Offer makes a socket in the state directory and adds its path to an app's
// environment. It makes none, and returns nil, when the environment names one
// already: then the app talks to whoever started confit. With an error the
// environment is as it was, and the app does without.
func Offer(environ []string, state string) ([]string, *Socket, error) {
	var others []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if name == variable && value != "" {
			return environ, nil, nil
		}
		if name != variable {
			others = append(others, pair)
		}
	}
	s, err := Listen(path.Join(state, socketName))
	if err != nil {
		return environ, nil, err
	}
	return append(others, variable+"="+s.path), s, nil
}
