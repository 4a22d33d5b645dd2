package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// The test binary plays the roles, too, and the program itself.
func TestMain(m *testing.M) {
	harness.Play(nil)
	if len(os.Args) > 1 {
		if os.Args[1] == "role:main" {
			code, _ := contain(os.Args[2:])
			os.Exit(code)
		}
		if role, ok := roles[os.Args[1]]; ok {
			os.Exit(role(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// printed is what -json prints.
type printed struct {
	Machine string
	Rows    []struct {
		Name, Budget string
		Ours         float64
		Over         *bool
	}
}

func TestOver(t *testing.T) {
	for _, c := range []struct {
		ours, yard float64
		budget     budget
		over       bool
	}{
		{5, 1, budget{}, false},
		{5, 1, budget{value, 5}, false},
		{5, alone, budget{value, 4}, true},
		{5, 1, budget{onTop, 4}, false},
		{5, 1, budget{onTop, 3}, true},
		{5, 2, budget{ratio, 2.5}, false},
		{5, 2, budget{ratio, 2.4}, true},
		{9, 10, budget{minimum, 0.9}, false},
		{8, 10, budget{minimum, 0.9}, true},
		{math.NaN(), 1, budget{value, 5}, true}, // nothing measured keeps no budget
	} {
		if r := (row{Ours: c.ours, Yard: c.yard, Budget: c.budget}); r.over() != c.over {
			t.Errorf("%v beside %v with %+v: over is %v", c.ours, c.yard, c.budget, r.over())
		}
	}
}

func TestPercentile(t *testing.T) {
	var hundred samples
	for i := range 100 {
		hundred = append(hundred, float64(100-i))
	}
	for p, want := range map[float64]float64{0: 1, 1: 1, 50: 50, 99: 99, 100: 100} {
		if got := hundred.percentile(p); got != want {
			t.Errorf("percentile %v of 1…100 is %v, want %v", p, got, want)
		}
	}
	if !math.IsNaN(samples(nil).median()) {
		t.Error("no samples have a median")
	}
}

func TestReport(t *testing.T) {
	rows := []row{
		{"swap", milliseconds, 0.5, 0.25, "floor", budget{value, 1}},
		{"size", binaryBytes, 4000000, alone, "", budget{value, 3.5e6}},
		{"files", count, 3, 2, "before", budget{onTop, 0}},
	}
	var b strings.Builder
	if err := report(&b, "a machine", rows, false); err != nil {
		t.Fatal(err)
	}
	want := `a machine
what   ours           yardstick  which is  ratio  budget           
swap   0.50 ms        0.25 ms    floor     2.00   ≤ 1 ms           ok
size   4000000 bytes                              ≤ 3500000 bytes  OVER
files  3              2          before    1.50   ≤ 0 on top       OVER
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &b, want)
	}
}

// What wasn't measured is null, and over its budget.
func TestReport_json(t *testing.T) {
	var b strings.Builder
	rows := []row{{"lost", count, math.NaN(), 2, "floor", budget{value, 1}}, {"size", binaryBytes, 5, alone, "", budget{}}}
	if err := report(&b, "a machine", rows, true); err != nil {
		t.Fatal(err)
	}
	var got struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	lost, size := got.Rows[0], got.Rows[1]
	if lost["ours"] != nil || lost["yardstick"] != 2.0 || lost["over"] != true || lost["ratio"] != nil {
		t.Errorf("not measured: %v", lost)
	}
	if size["ours"] != 5.0 || size["yardstick"] != nil || size["over"] != false {
		t.Errorf("no yardstick: %v", size)
	}
}
