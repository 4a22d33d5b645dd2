package config

import (
	"fmt"
	"strings"
)

// The help is as wide as a terminal by default. Descriptions of flags have a column.
const (
	helpWidth  = 80
	helpColumn = 26
)

// meant is a value in words for people.
func (s *setting) meant(shown string) string {
	if shown == s.def && s.means != "" {
		return s.means
	}
	return shown
}

// Usage is the help.
func Usage() string {
	text := usageHead
	for _, s := range settingsOf(new(Config)) {
		if s.heading != "" {
			text += "\n" + s.heading + "\n"
		}
		says := s.help
		if def := s.meant(s.def); def != "" {
			says += " (" + def + ")"
		}
		text += entry("  --"+s.name+s.takes, says)
	}
	return text + usageTail
}

// entry is a flag and its description.
func entry(flag, says string) (text string) {
	line := fmt.Sprintf("%-*s", helpColumn, flag)
	for word := range strings.SplitSeq(says, " ") {
		if len(line)+len(word) > helpWidth {
			text += strings.TrimRight(line, " ") + "\n"
			line = strings.Repeat(" ", helpColumn)
		}
		line += word + " "
	}
	return text + strings.TrimRight(line, " ") + "\n"
}

const usageHead = `confit runs one app as PID 1 of its container: it links keys of mounted
ConfigMap and Secret volumes to where the app expects them, and turns every
change of a volume into a checked, atomic reload.

  confit [FLAG…] -- APP [ARGUMENT…]
`

const usageTail = `
Flags may also stand in the environment, as CONFIT_STOP_SIGNAL=QUIT, and without
dashes in the links file, but for --links and what is done instead of running
the app. The command line wins over the environment, and the environment over
the links file.

A links file
  link  web/nginx.conf   /etc/nginx/nginx.conf
  link  web/*.conf       /etc/nginx/conf.d/      optional
  link  tls/             /etc/nginx/tls/         reload=signal:HUP
  input web/motd.txt                             optional
  env   app/LOG_LEVEL    LOG_LEVEL
  validate     nginx -t
  stop-signal  QUIT

Exit codes: the app's own; 128+n when signal n ended it; 127 app not found;
126 not executable; 64 wrong usage or links file; 71 the system refused
something before the app was started; 78 the first configuration was rejected.
`
