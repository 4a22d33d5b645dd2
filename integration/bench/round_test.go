//go:build check

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// oneRound runs measurements once. They leave nothing behind.
func oneRound(t *testing.T, only string) (p printed) {
	t.Helper()
	confit := filepath.Join(t.TempDir(), "confit")
	floor := filepath.Join(filepath.Dir(confit), "peers", "floor-go")
	if err := errors.Join(harness.BuildConfit(confit), harness.GoBuild("./floor", floor, nil)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "role:main", "-rounds", "1", "-json", "-only", only, confit)
	work := t.TempDir()
	cmd.Env = append(os.Environ(), "TMPDIR="+work)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // of a broken budget; what wasn't measured has no row
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(work, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return p
}

// One round of every measurement that needs no yardstick of another package: each figure is there. Only a quiet machine can say
// whether it keeps its budget.
func TestBench_one_round(t *testing.T) {
	p := oneRound(t, "swap,size,keys,publish,disk,growth,volumes")
	if want := 25; len(p.Rows) != want || !strings.Contains(p.Machine, "confit") {
		t.Errorf("%d rows, want %d: %+v", len(p.Rows), want, p)
	}
	for _, r := range p.Rows {
		if r.Ours <= 0 || r.Over == nil {
			t.Errorf("row %q says nothing", r.Name)
		}
	}
}
