package config

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"confit/linker"
)

// Explain prints the settings and what confit would do with the links. It changes
// nothing. Its error has all reasons for which a start would fail: links that can't be made, missing
// keys, programs that can't be started by find, and paths that no candidate has.
// restarts reports whether auto restarts a program.
func Explain(w io.Writer, c *Config, find func(program string) error, restarts func(program string) bool) error {
	c.eachInForce(func(s *setting, shown string) { printRow(w, s.name, s.meant(shown)) })
	if len(c.App) > 0 {
		printRow(w, "app", JoinWords(c.App))
	}
	err := linker.Explain(w, c.Linker(nil, 0))
	missing, later := c.unfound(c.commands(), find)
	for _, err := range later {
		fmt.Fprintln(w, "note:", err)
	}
	c.noteRestarts(w, restarts)
	return errors.Join(slices.Concat([]error{err}, missing, c.checkPaths())...)
}

// noteRestarts notes what an edit costs that restarts the app.
func (c *Config) noteRestarts(w io.Writer, restarts func(program string) bool) {
	auto := len(c.App) > 0 && restarts(c.App[0])
	if c.Splay == 0 && c.Gate == nil && slices.ContainsFunc(c.Links, func(l Link) bool {
		a := c.ActionOf(&l)
		return a.Kind == Restart || a.Auto && auto
	}) {
		fmt.Fprintln(w, "todo: an edit restarts the apps of all replicas within a minute, and no PodDisruptionBudget holds that: write splay 5m, or a gate")
	}
}

func printRow(w io.Writer, name, value string) { fmt.Fprintf(w, "%-18s%s\n", name, value) }
