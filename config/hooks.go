package config

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// namedCommand is a command, and where it stands.
type namedCommand struct {
	where  string
	words  []string
	judges bool // by its exit code the change goes on or is refused
}

// hooks are all that confit may start beside the app.
func (c *Config) hooks() []namedCommand {
	list := []namedCommand{
		{"render", c.Render, false}, {"validate", c.Validate, true}, {"gate", c.Gate, true},
		{"report", c.Report, false}, {"reload", c.Reload.Command, false}, {"verify", c.Verify, true},
	}
	for i := range list {
		list[i].where = c.places[list[i].where]
	}
	for _, l := range c.Links {
		if l.Reload != nil {
			list = append(list, namedCommand{l.Where + ": reload", l.Reload.Command, false})
		}
	}
	return list
}

// noteOdd notes what is allowed, and rarely meant: above all a check that can refuse nothing, in
// which somebody trusts.
func (c *Config) noteOdd(w io.Writer) {
	for _, h := range c.hooks() {
		if why := c.odd(&h); why != "" {
			fmt.Fprintf(w, "note: %s: %s\n", h.where, why)
		}
	}
	if c.Settle > time.Minute {
		fmt.Fprintf(w, "note: settle: an edit waits until the volumes have been quiet for %v\n", c.Settle)
	}
	if to := c.MapExit[0]; to != 0 {
		fmt.Fprintf(w, "note: map-exit: confit ends with %d where the app ends well, as FROM comes first\n", to)
	}
}

// odd says why a hook won't do what it is there for, "" if nothing shows that.
func (c *Config) odd(h *namedCommand) string {
	if len(h.words) == 0 {
		return ""
	}
	program, line, script := filepath.Base(h.words[0]), JoinWords(h.words), ""
	if len(h.words) > 2 && h.words[1] == "-c" && strings.HasSuffix(program, "sh") {
		script = h.words[2]
	}
	switch {
	case script != "" && len(h.words) > 3 && !strings.ContainsAny(script, " \n$;|&<>()"):
		return fmt.Sprintf("%s runs %q alone, the words behind it aren't its arguments: put quotes around all of them",
			program, script)
	case h.judges && alwaysSucceeds(program, script):
		return "it always succeeds, so it refuses nothing"
	case program == "curl" && !slices.ContainsFunc(h.words[1:],
		func(w string) bool { return strings.HasPrefix(w, "-") && strings.Contains(w, "f") }):
		return "curl succeeds at an answer such as 500, too: add -f"
	case slices.Contains([]string{"kill 1", "kill -TERM 1"}, line):
		return "it asks confit to stop, and the container ends"
	case strings.Contains(line, " "+c.linker.Volumes+"/") &&
		!slices.ContainsFunc(c.Links, func(l Link) bool { return l.Direct }):
		return fmt.Sprintf("it reads what is mounted, not the change: write %s in place of %s", Placeholder,
			c.linker.Volumes)
	}
	return ""
}

// alwaysSucceeds reports a program, or the script of a shell, that can't fail. exit and set may end a
// script before its last command.
func alwaysSucceeds(program, script string) bool {
	if program == "true" || program == "echo" {
		return true
	}
	if strings.Contains(script, "exit") || strings.Contains(script, "set -") {
		return false
	}
	return strings.HasSuffix(script, "; true") || strings.HasSuffix(script, "|| true")
}
