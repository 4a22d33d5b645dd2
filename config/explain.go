package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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
	fmt.Fprint(w, c.notes)
	c.noteWords(w)
	c.noteTimes(w)
	c.noteRestarts(w, restarts)
	return errors.Join(slices.Concat([]error{err}, missing, c.checkPaths())...)
}

// noteRestarts notes what an edit costs that restarts the app.
func (c *Config) noteRestarts(w io.Writer, restarts func(program string) bool) {
	auto := restarts(programOf(c.App))
	if c.Splay == 0 && c.Gate == nil && slices.ContainsFunc(c.Links, func(l Link) bool {
		a := c.ActionOf(&l)
		return a.Kind == Restart || a.Auto && auto
	}) {
		fmt.Fprintln(w, "todo: an edit restarts the apps of all replicas within a minute, and no PodDisruptionBudget holds that: write splay 5m, or a gate")
	}
}

// noteTimes notes times that are hardly meant to be as long.
func (c *Config) noteTimes(w io.Writer) {
	if c.Settle > time.Minute {
		fmt.Fprintf(w, "note: settle %v: an edit waits until nothing has changed for so long; to spread reloads, write splay\n", c.Settle)
	}
	if c.Probation > 0 && c.SoakFor() == c.Probation {
		fmt.Fprintf(w, "note: probation %v leaves nothing to soak, and the next edit waits for its end: write a shorter one\n", c.Probation)
	}
}

// noteWords notes words of commands that are hardly meant as they stand: to a shell typographic quotes are
// letters, and to an app a placeholder is a word like any other.
func (c *Config) noteWords(w io.Writer) {
	for _, h := range c.commands() {
		for i, word := range h.words {
			if quotes := strings.IndexAny(word, "‘’‚“”„"); quotes >= 0 && i > 0 && isShell(h.words[0]) {
				fmt.Fprintf(w, "note: %s: a typographic quote is a letter to a shell, as in %q: write ' or \"\n", h.where, word[quotes:])
			}
			if h.where == "app" && strings.Contains(word, Placeholder) {
				fmt.Fprintf(w, "note: app: %q is for hooks alone: write the target of a link\n", Placeholder)
			}
		}
	}
}

func printRow(w io.Writer, name, value string) { fmt.Fprintf(w, "%-18s%s\n", name, value) }
