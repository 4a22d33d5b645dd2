package notify

import "strings"

// variable names the socket to an app, sd_notify(3).
const variable = "NOTIFY_SOCKET"

// Offer makes a socket at path and adds its name to an app's environment. It is
// nil when the environment names one already: whoever started confit listens
// there, and the app is passed on to it. With an error the environment is as it
// was, and the app goes without.
func Offer(environ []string, path string) ([]string, *Socket, error) {
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
	s, err := Listen(path)
	if err != nil {
		return environ, nil, err
	}
	return append(others, variable+"="+path), s, nil
}
