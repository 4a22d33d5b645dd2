package goal

import (
	"os"
	"slices"
	"strings"
	"testing"

	"confit/integration/markdown"
)

// What the cells of the page's table say.
var (
	ends     = words[Known]{{"no", Known{}}, {"stop", Known{Stops: true}}, {"stop", Known{Stops: true, Broken: true}}, {"panic", Known{Broken: true}}}
	mounts   = words[Mount]{{"wanted", Wanted}, {"bearable", Bearable}, {"refused", Refused}}
	apps     = words[App]{{"new", New}, {"gone", Gone}, {"up", Up}}
	yes      = words[bool]{{"no", false}, {"yes", true}}
	editions = words[Known]{
		{"good", Known{Edition: Good}}, {"good", Known{Edition: Good, Below: true}},
		{"good", Known{Edition: Good, Down: true}}, {"good", Known{Edition: Good, Below: true, Down: true}},
		{"deadly", Known{Edition: Deadly, Below: true}}, {"deadly", Known{Edition: Deadly, Below: true, Down: true}},
		{"last", Known{Edition: Deadly}}, {"last", Known{Edition: Deadly, Down: true}},
		{"none", Known{}}, {"none", Known{Below: true}}, {"done", Known{Down: true}}, {"done", Known{Down: true, Below: true}},
	}
	goals = words[Goal]{{"nothing", Nothing}, {"as is", AsIs}, {"mounted", Mounted}, {"edition", Accepted}, {"older", Older}, {"newest", Newest}, {"fallback", Fallback}}
)

type words[T any] []struct {
	word string
	is   T
}

// TestGoal holds that docs/internals/design.md has one row for all that can be known, and that its goal is there.
func TestGoal(t *testing.T) {
	page, err := os.ReadFile("../../docs/internals/design.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := markdown.Rows(markdown.Section(string(page), "### The goal"))
	if len(rows) == 0 {
		t.Fatal("the page has no table of goals")
	}
	used := map[int]bool{}
	for _, end := range ends {
		for _, mount := range mounts {
			for _, edition := range editions {
				for _, app := range apps {
					for _, fallback := range yes {
						k := edition.is
						k.Stops, k.Broken, k.Mount, k.App, k.Fallback = end.is.Stops, end.is.Broken, mount.is, app.is, fallback.is
						number := theRow(t, rows, end.word, mount.word, edition.word, app.word, fallback.word)
						used[number] = true
						if want, is := rows[number][5], goals[k.Goal()]; want != is.word || is.is != k.Goal() {
							t.Errorf("%+v: the goal is %s, and the page says %s", k, is.word, want)
						}
					}
				}
			}
		}
	}
	for i := range rows {
		if !used[i] {
			t.Errorf("nothing leads to the row %q", rows[i])
		}
	}
}

// theRow is the only row of what is known.
func theRow(t *testing.T, rows [][]string, known ...string) int {
	t.Helper()
	var found []int
	for i, row := range rows {
		fits := true
		for column, word := range known {
			fits = fits && (row[column] == "" || row[column] == "barred" && word != "wanted" || slices.Contains(strings.Split(row[column], ", "), word))
		}
		if fits {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d rows are about %q", len(found), known)
	}
	return found[0]
}
