package status

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The measures of the text, in columns and lines.
const (
	columns    = 80 // of a terminal by default
	labelWidth = 11
	maxOutput  = 10 // lines of what a hook printed
	maxNames   = 20 // of keys
)

// page is text in rows, each a label and what belongs to it.
type page struct {
	now  time.Time
	text []byte
}

// row adds a row. A text that is too long, or has lines, goes on below its beginning.
func (p *page) row(label, text string) {
	for _, line := range strings.Split(text, "\n") {
		for more := true; more; label = "" {
			end := lineEnd(line)
			p.text = fmt.Appendf(p.text, "%-*s%s\n", labelWidth, label, Clean(line[:end]))
			line = strings.TrimPrefix(line[end:], " ")
			more = line != ""
		}
	}
}

// lineEnd is where a line breaks: at its last blank in 80 columns, or within a word that is too
// long.
func lineEnd(line string) (end int) {
	column, blank := labelWidth, 0
	for i, r := range line {
		if column == columns {
			if r != ' ' && blank > 0 {
				return blank
			}
			return i
		}
		if r == ' ' && column > columns/2 {
			blank = i
		}
		column++
	}
	return len(line)
}

// Clean replaces the control characters of a line: a hook may print commands for a terminal,
// console_codes(4).
func Clean(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case strconv.IsPrint(r):
			return r
		}
		return '\uFFFD'
	}, line)
}

// todo adds what to do about the row above.
func (p *page) todo(text string) { p.row("to do", text) }

// trouble adds what is wrong, if anything is, and what to do about it.
func (p *page) trouble(label, text, todo string) {
	if text != "" {
		p.row(label, text)
		p.todo(todo)
	}
}

// output adds the last lines of what a hook printed.
func (p *page) output(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if over := len(lines) - maxOutput; over > 0 {
		lines = lines[over:]
		lines[0] = "… (--status=json has more)"
	}
	p.row("output", strings.Join(lines, "\n"))
}

// changed adds a row of the keys that differ from the accepted ones.
func (p *page) changed(keys map[string]Sum) {
	var names []string
	for name, sum := range keys {
		if sum == "" {
			name += " (missing)"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > 0 {
		p.row("changed", strings.Join(FirstNames(names), ", "))
	}
}

// heldUp adds a row for each key that a refused edit holds up, the first of them.
func (p *page) heldUp(keys map[string]Time) {
	label := "held up"
	for _, name := range FirstNames(slices.Sorted(maps.Keys(keys))) {
		if since, isKey := keys[name]; isKey {
			name += ", changed " + p.when(since)
		}
		p.row(label, name)
		label = ""
	}
}

// FirstNames are names to be read by people: the first ones, and how many more.
func FirstNames(names []string) []string {
	if more := len(names) - maxNames; more > 0 {
		return append(slices.Clip(names[:maxNames]), fmt.Sprintf("and %d more", more))
	}
	return names
}

// hash adds a row that begins with a short hash, below which others stand.
func (p *page) hash(label, hash, note string, since Time) {
	if hash == "" {
		hash = "unusable"
	}
	p.row(label, fmt.Sprintf("%-12.12s  %-14s  %s", hash, note, p.when(since)))
}

func (p *page) generation(label string, g *Generation) {
	if g == nil {
		p.row(label, "none")
		return
	}
	p.hash(label, g.Hash, fmt.Sprintf("generation %d", g.Number), g.Since)
}

// when is a moment as seen from now, and by the clock.
func (p *page) when(t Time) string {
	at, err := time.Parse(time.RFC3339, string(t))
	if err != nil {
		return "at an unknown time"
	}
	clock := at.UTC().Format(time.DateTime)
	if day := p.now.UTC().Format(time.DateOnly) + " "; strings.HasPrefix(clock, day) {
		clock = clock[len(day):]
	}
	return fmt.Sprintf("%s (%s UTC)", distance(p.now.Sub(at)), clock)
}

// distance is how long ago something was, or when it will be, in one unit.
func distance(past time.Duration) string {
	d := past.Abs()
	n, unit := d/time.Second, "s"
	switch {
	case d < time.Second:
		return "now"
	case d >= 48*time.Hour:
		n, unit = d/(24*time.Hour), "days"
	case d >= time.Hour:
		n, unit = d/time.Hour, "h"
	case d >= time.Minute:
		n, unit = d/time.Minute, "min"
	}
	if past < 0 {
		return fmt.Sprintf("in %d %s", n, unit)
	}
	return fmt.Sprintf("%d %s ago", n, unit)
}
