package main

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the page's table of the rows that were kept")

const page = "../../docs/environments.md"

// TestPage: the page has the rows that were kept, each with a cell for every scene, and a reason for what isn't so.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := writeTable(page, tableOf(rows)); err != nil {
			t.Fatal(err)
		}
	}
	on, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(on), tableBegins+tableOf(rows)+tableEnds) {
		t.Errorf("the page has another table than the last runs have left (%v)", err)
	}
	for _, r := range rows {
		if r.failures() > 0 {
			t.Errorf("%s has cells that are not what they should be", r.Name)
		}
		for _, s := range scenes {
			if r.Missing == "" && !slices.ContainsFunc(r.Cells, func(o outcome) bool { return o.Scene == s.name }) {
				t.Errorf("%s: nothing is said of %q", r.Name, s.name)
			}
		}
	}
}

// TestCounter: another init's row fails where a scene isn't about one and holds, and where one is about an init and doesn't.
func TestCounter(t *testing.T) {
	r := row{Name: "another init", Counter: true, Cells: []outcome{{Scene: "edit", Err: "another init"}, {Scene: "TERM"}}}
	if n := r.failures(); n != 0 {
		t.Errorf("%d cells are wrong", n)
	}
	r.Cells[0].Err, r.Cells[1].Err = "", "it doesn't end"
	if n := r.failures(); n != 2 {
		t.Errorf("%d cells are wrong, want 2", n)
	}
	if own := (row{Name: "confit", Cells: r.Cells}); own.failures() != 1 {
		t.Error("a cell that fails is no failure")
	}
}
