package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"confit/linker"
	"confit/signals"
)

// Explain prints the settings and what confit would do with the links. It changes
// nothing. Its error names all that a start would fail of: links that can't be made,
// keys that are missing, and programs that find says can't be started.
func Explain(w io.Writer, c *Config, find func(program string) error) error {
	settle := c.Settle.String()
	if c.Settle == SettleAuto {
		settle = fmt.Sprintf("0 for a single atomic volume, %v for several, else %v", SwapSettle, DefaultSettle)
	}
	for _, row := range [][2]string{
		{"links", strings.Join(c.LinkFiles, ", ")}, {"volumes", c.Volumes}, {"state", c.State},
		{"allow-disk", fmt.Sprint(c.AllowDisk)}, {"settle", settle}, {"rescan", c.Rescan.String()},
		{"fallback", c.Fallback}, {"render", JoinWords(c.Render)},
		{"validate", JoinWords(c.Validate)}, {"gate", JoinWords(c.Gate)}, {"report", JoinWords(c.Report)}, {"hook-timeout", c.HookTimeout.String()},
		{"reload", c.Reload.String()}, {"splay", c.Splay.String()}, {"probation", c.Probation.String()},
		{"verify", JoinWords(c.Verify)}, {"verify-timeout", c.VerifyTimeout.String()}, {"retry", c.Retry.String()},
		{"stop-signal", signals.Name(c.StopSignal)},
		{"stop-timeout", c.StopTimeout.String()}, {"app", JoinWords(c.App)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "%-18s%s\n", row[0], row[1])
		}
	}
	return errors.Join(linker.Explain(w, c.Linker(nil)), c.findPrograms(w, find))
}

// Missing names the programs that a start would not find. It is for a --check of a
// wrong links file, which has no plan to print, so that all is said at once.
func (c *Config) Missing(find func(program string) error) error {
	if c.Mode != Check {
		return nil
	}
	return c.findPrograms(io.Discard, find)
}

// findPrograms looks up what the hooks and the app start. A program whose directory
// isn't there may be on a volume of the pod: outside of one that is only noted.
func (c *Config) findPrograms(w io.Writer, find func(program string) error) error {
	var wrong []error
	for _, h := range c.commands() {
		program := programOf(h.command)
		if program == "" || c.bringsProgram(program) {
			continue
		}
		err := find(program)
		_, noDir := os.Stat(filepath.Dir(program))
		switch {
		case err == nil:
		case noDir != nil && !c.Pod:
			fmt.Fprintf(w, "note: %s: %v\n", h.name, err)
		default:
			wrong = append(wrong, fmt.Errorf("%s: %w", h.name, err))
		}
	}
	return errors.Join(wrong...)
}

// programOf is the program that a command starts, also through env NAME=VALUE.
func programOf(command []string) string {
	for i, w := range command {
		switch {
		case i == 0 && w == "env", i > 0 && strings.Contains(w, "="):
		case i > 0 && strings.HasPrefix(w, "-"):
			return command[0]
		default:
			return w
		}
	}
	return ""
}

// namedCommand is a command, and what it is in messages.
type namedCommand struct {
	name    string
	command []string
}

// commands are all that confit may start.
func (c *Config) commands() []namedCommand {
	list := []namedCommand{
		{"render", c.Render}, {"validate", c.Validate}, {"gate", c.Gate}, {"report", c.Report},
		{"reload", c.Reload.Command}, {"verify", c.Verify}, {"app", c.App},
	}
	for i := range c.Links {
		if l := &c.Links[i]; l.Reload != nil {
			list = append(list, namedCommand{l.Where + ": reload", l.Reload.Command})
		}
	}
	return list
}

// bringsProgram reports whether a program may be a key, so that it comes with the
// volumes: a target, below one, or in a directory of programs where keys are linked.
func (c *Config) bringsProgram(program string) bool {
	brings := strings.Contains(program, Placeholder) || strings.Contains(program, linker.Rendered)
	for i := range c.Links {
		target := string(c.Links[i].Target)
		brings = brings || target == program || filepath.Base(target) == program || !strings.Contains(program, "/") && strings.HasSuffix(target, "bin/") ||
			target != "" && strings.HasPrefix(program, strings.TrimSuffix(target, "/")+"/")
	}
	return brings
}
