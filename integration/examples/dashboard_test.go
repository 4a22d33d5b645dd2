//go:build check

package examples

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// dashboard is what the test needs to know of one of Grafana's.
type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Panels        []panel
	Templating    struct{ List []variable }
}

type panel struct {
	ID                int
	Title             string
	Description, Type string
	Datasource        datasource
	GridPos           struct{ X, Y, W, H int }
	Targets           []struct {
		RefID, Expr string
		Datasource  datasource
	}
}

type variable struct {
	Name, Type string
	Query      any // a text, or an object with one
}

type datasource struct{ Type, UID string }

// chosen is the data source that a person picks when the dashboard is imported.
var chosen = datasource{"prometheus", "${datasource}"}

// TestMonitoring_dashboard holds what Grafana needs to import it: the data source is a variable, and each panel has a place of its own.
func TestMonitoring_dashboard(t *testing.T) {
	d := readDashboard(t)
	if len(d.Templating.List) == 0 || d.Templating.List[0].Type != "datasource" || d.Templating.List[0].Name != "datasource" || d.Title == "" || d.UID == "" {
		t.Errorf("the dashboard has no title, no uid or no variable for its data source first: %+v", d.Templating.List)
	}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.Description == "" || len(p.Targets) == 0 || p.Datasource != chosen {
			t.Errorf("panel %d %q has the number of another, no title, no description, no query or a data source of its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		p.occupy(t, cells)
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	must(t, json.Unmarshal([]byte(readExample(t, "dashboard.json")), &d))
	if len(d.Panels) == 0 {
		t.Fatal("the dashboard has no panel")
	}
	return d
}

// occupy finds panels that cover each other. Grafana's grid has 24 columns.
func (p panel) occupy(t *testing.T, cells map[[2]int]string) {
	t.Helper()
	at := p.GridPos
	if at.W <= 0 || at.H <= 0 || at.X+at.W > 24 {
		t.Errorf("panel %q is at %+v", p.Title, at)
	}
	for x := at.X; x < at.X+at.W; x++ {
		for y := at.Y; y < at.Y+at.H; y++ {
			if other := cells[[2]int{x, y}]; other != "" {
				t.Errorf("panel %q covers panel %q", p.Title, other)
			}
			cells[[2]int{x, y}] = p.Title
		}
	}
}

// variables stand for what Grafana puts in their place.
var variables = strings.NewReplacer("$namespace", ".*", "$app", ".*", "$__rate_interval", "4s")

// checkDashboard runs each query over the time of the test, and wants an answer.
func (m *monitor) checkDashboard(t *testing.T) {
	t.Helper()
	d := readDashboard(t)
	for _, p := range d.Panels {
		for _, query := range p.Targets {
			found, err := m.ask(variables.Replace(query.Expr), 10*time.Minute) // of tables, too: their moment is over
			if err != nil || len(found) == 0 || query.Datasource != chosen {
				t.Errorf("panel %q, query %s: %d series, %v", p.Title, query.RefID, len(found), err)
			}
		}
	}
	for _, v := range d.Templating.List[1:] {
		m.checkVariable(t, v)
	}
}

// checkVariable asks for what a person can choose.
func (m *monitor) checkVariable(t *testing.T, v variable) {
	t.Helper()
	query, _ := v.Query.(map[string]any)["query"].(string)
	match := regexp.MustCompile(`^label_values\((.+), (\w+)\)$`).FindStringSubmatch(query)
	if match == nil {
		t.Fatalf("the variable %s is none of a label's values: %q", v.Name, query)
	}
	form := url.Values{"match[]": {variables.Replace(match[1])}}
	text, err := get("http://127.0.0.1:9090/api/v1/label/" + match[2] + "/values?" + form.Encode())(m.container)
	var answer struct{ Data []string }
	if err == nil {
		err = json.Unmarshal([]byte(text), &answer)
	}
	if err != nil || len(answer.Data) == 0 {
		t.Errorf("the variable %s: %s (%v)", v.Name, text, err)
	}
}
