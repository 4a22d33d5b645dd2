package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// row is what one environment has shown.
type row struct {
	Name    string
	Missing string `json:",omitempty"`
	Counter bool   `json:",omitempty"`
	Cells   []outcome
}

// failures are the cells that fail, or of another init those that hold though they aren't about one.
func (r row) failures() (n int) {
	for _, c := range r.Cells {
		i := slices.IndexFunc(scenes, func(s scene) bool { return s.name == c.Scene })
		good := c.Err == ""
		if r.Counter {
			good = good == scenes[i].ofInit
		}
		if !good && c.Skip == "" {
			n++
			fmt.Fprintf(os.Stderr, "%s: %s: %s\n", r.Name, c.Scene, c.text())
		}
	}
	return n
}

// tableOf is a table of the page. What isn't so has its reason below the table.
func tableOf(rows []row) string {
	var b strings.Builder
	b.WriteString("|environment|")
	for _, s := range scenes {
		fmt.Fprintf(&b, "%s|", s.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(scenes)) + "\n")
	var notes []string
	note := func(text string) string {
		i := slices.Index(notes, text)
		if i < 0 {
			i, notes = len(notes), append(notes, text)
		}
		return fmt.Sprintf("[%d]", i+1)
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "|%s|", r.Name)
		for _, s := range scenes {
			cell := "–"
			i := slices.IndexFunc(r.Cells, func(o outcome) bool { return o.Scene == s.name })
			switch {
			case r.Missing != "":
				cell += note(r.Missing)
			case i < 0:
				cell = "✘"
			case r.Cells[i].Skip != "":
				cell += note(r.Cells[i].Skip)
			case r.Cells[i].Err != "":
				cell = "✘"
			default:
				cell = strings.TrimSpace("✔ " + r.Cells[i].Figure)
			}
			fmt.Fprintf(&b, "%s|", cell)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, n)
	}
	return b.String()
}

// kept has the rows of former runs: with -only the others stay.
const kept = "integration/environments/rows.json"

// keep writes rows that hold into the page.
func keep(page string, rows []row, all bool) error {
	var before []row
	if text, err := os.ReadFile(kept); err == nil && !all {
		if err := json.Unmarshal(text, &before); err != nil {
			return fmt.Errorf("cannot read %s: %w", kept, err)
		}
	}
	for _, r := range rows {
		for i, c := range r.Cells { // another init's, of which the reasons differ from run to run
			if c.Err != "" {
				r.Cells[i].Err = "another init"
			}
		}
		if i := slices.IndexFunc(before, func(b row) bool { return b.Name == r.Name }); i >= 0 {
			before[i] = r
		} else {
			before = append(before, r)
		}
	}
	var lines []string // a row each
	for _, r := range before {
		text, _ := json.Marshal(r)
		lines = append(lines, string(text))
	}
	err := os.WriteFile(kept, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644)
	if err == nil {
		err = writeTable(page, tableOf(before))
	}
	return err
}

// The table stands between these lines of the page.
const (
	tableBegins = "<!-- table: make environments writes it -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

func writeTable(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), tableBegins)
	_, after, ended := strings.Cut(rest, tableEnds)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the table", page)
	}
	return os.WriteFile(page, []byte(before+tableBegins+table+tableEnds+after), 0o644)
}
