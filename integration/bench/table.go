package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// unit is what a figure counts, and how precisely it is worth printing.
type unit struct {
	name     string
	decimals int
}

var (
	milliseconds = unit{"ms", 2}
	microseconds = unit{"µs", 1}
	kibibytes    = unit{"KiB", 0}
	mebibytes    = unit{"MiB", 0}
	binaryBytes  = unit{"bytes", 0}
	count        = unit{"", 0}
	hundredths   = unit{"", 2}
	perMs        = unit{"/ms", 1}
)

func (u unit) print(v float64) string {
	text := strconv.FormatFloat(v, 'f', u.decimals, 64)
	if u.name == "" {
		return text
	}
	return text + " " + u.name
}

// row is one figure.
type row struct {
	Name      string
	Unit      unit
	Ours      float64
	Yard      float64 // NaN without a yardstick
	Yardstick string  // which one
	Budget    budget
}

// budget is a bound of ours, of what ours has on top of the yardstick, or of the ratio. The zero budget is none.
type budget struct {
	of    subject
	limit float64
}

type subject int

const (
	none    subject = iota
	value           // ours ≤ limit
	onTop           // ours − yardstick ≤ limit
	ratio           // ours / yardstick ≤ limit
	minimum         // ours / yardstick ≥ limit
)

func (r row) ratio() float64 { return r.Ours / r.Yard }

func (r row) over() bool {
	switch r.Budget.of {
	case value:
		return !(r.Ours <= r.Budget.limit)
	case onTop:
		return !(r.Ours-r.Yard <= r.Budget.limit)
	case ratio:
		return !(r.ratio() <= r.Budget.limit)
	case minimum:
		return !(r.ratio() >= r.Budget.limit)
	}
	return false
}

func (r row) verdict() string {
	switch {
	case r.Budget.of == none:
		return ""
	case r.over():
		return "OVER"
	}
	return "ok"
}

func (r row) budget() string {
	limit := strconv.FormatFloat(r.Budget.limit, 'f', -1, 64)
	amount := strings.TrimSpace(limit + " " + r.Unit.name)
	switch r.Budget.of {
	case value:
		return "≤ " + amount
	case onTop:
		return "≤ " + amount + " on top"
	case ratio:
		return "ratio ≤ " + limit
	case minimum:
		return "ratio ≥ " + limit
	}
	return ""
}

// cells are the columns of the table. A ratio to nothing at all says nothing.
func (r row) cells() []any {
	yard, times := "", ""
	if !math.IsNaN(r.Yard) {
		yard = r.Unit.print(r.Yard)
		if r.Yard > 0 {
			times = strconv.FormatFloat(r.ratio(), 'f', 2, 64)
		}
	}
	return []any{r.Name, r.Unit.print(r.Ours), yard, r.Yardstick, times, r.budget(), r.verdict()}
}

// report prints the rows, for a person or for a program.
func report(w io.Writer, machine string, rows []row, asJSON bool) error {
	if asJSON {
		return reportJSON(w, machine, rows)
	}
	fmt.Fprintf(w, "%s\n", machine)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tours\tyardstick\twhich is\tratio\tbudget\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.cells()...)
	}
	return t.Flush()
}

func reportJSON(w io.Writer, machine string, rows []row) error {
	type figure struct {
		Name      string   `json:"name"`
		Unit      string   `json:"unit"`
		Ours      *float64 `json:"ours"` // null: not measured, which keeps no budget
		Yard      *float64 `json:"yardstick,omitempty"`
		Yardstick string   `json:"which,omitempty"`
		Ratio     *float64 `json:"ratio,omitempty"`
		Budget    string   `json:"budget,omitempty"`
		Over      bool     `json:"over"`
	}
	figures := make([]figure, 0, len(rows))
	for _, r := range rows {
		f := figure{Name: r.Name, Unit: r.Unit.name, Ours: measured(r.Ours), Yard: measured(r.Yard), Yardstick: r.Yardstick, Budget: r.budget(), Over: r.over()}
		if r.Yard > 0 {
			f.Ratio = measured(r.ratio())
		}
		figures = append(figures, f)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"machine": machine, "rows": figures})
}

// measured is a number for JSON, which knows no NaN.
func measured(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
