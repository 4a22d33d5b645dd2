package rollout

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var mutations = flag.Bool("mutations", false, "break each promise on purpose, and see that the simulator finds it")

// TestMutations breaks the rules, one after the other. For each the simulator has to
// say which promise isn't kept.
func TestMutations(t *testing.T) {
	if !*mutations {
		checkMutations(t)
		return
	}
	for _, m := range mutants {
		t.Run(m.promise, func(t *testing.T) {
			said := m.play(t)
			if found := regexp.MustCompile(`seed \d+: (.*)`).FindStringSubmatch(said); found == nil || !regexp.MustCompile(m.says).MatchString(found[1]) {
				t.Errorf("%s: the simulator says %q, and %q was wanted", m.file, found, m.says)
			} else {
				t.Log(found[1])
			}
		})
	}
}

// checkMutations holds that each mutation still changes something.
func checkMutations(t *testing.T) {
	for _, m := range mutants {
		if text, err := os.ReadFile(m.file); err != nil || strings.Count(string(text), m.old) != 1 {
			t.Errorf("%s: %q isn't there once: %v", m.file, m.old, err)
		}
	}
}

// mutant is one promise, which holds while each holder ends within its bound, the games
// that show that it is held, what the simulator says when it isn't, and what is broken.
type mutant struct{ promise, games, says, file, old, new string }

var mutants = []mutant{
	{"no more are in flight than may be", "WithoutFaults", `are allowed`, "gate.go", `len(t.Holds) >= p.allowed(t.Accepted)`, `len(t.Holds) > p.allowed(t.Accepted)`},
	{"one canary at a time", "WithoutFaults", `are allowed`, "gate.go", `case len(t.Holds) > 0:`, `case len(t.Holds) > 1:`},
	{"one hash at a time", "WithFaults", `while .* tries|early: `, "gate.go", `case v.inFlight() > 0 && v.Trial.Hash != me.Hash:`, `case v.inFlight() > 1 && v.Trial.Hash != me.Hash:`},
	{"no replica begins with a rejected hash", "WithoutFaults", `which was rejected`, "gate.go", `case v.Rejection(me.Hash) != nil:`, `case v.Rejection(me.Hash) != nil && me.Starting:`},
	{"a late verdict stops its hash", "WithFaults/late", `late verdict: `, "report.go", `case v.hears(me.Hash):`, `case v.hears(me.Hash) && (held || o.Kind != RolledBack):`},
	{"then what was stable before is so again, in the snapshot, too", "WithFaults/late", `still what others start on`, "proof.go", `v.Stable, v.Previous = v.Previous, ""`, `v.Previous = ""`},
	{"after a relapse no replica begins until that pod says more", "WithFaults/late", `silence: `, "gate.go", `case v.halted(me.Hash) != "":`, `case v.halted(me.Hash) != "" && me.Starting:`},
	{"one sick pod doesn't turn a fleet, two don't turn one of 300", "SickNode", `turned: `, "late.go", `min(max(2, accepted/100), MaxFailures)`, `1`},
	{"one sick pod doesn't turn a fleet of a few that has proved its edit", "SickNode/one_of_a_few", `turned: `, "late.go", `accepted >= proving || v.isProved(hash)`, `accepted >= proving`},
	{"nothing is rejected that no replica found bad", "WithFaults", `did not find it bad`, "observer.go", `next.lost(v, o.Last.Date)`, `v.reject(Rejection{Hash: v.Trial.Hash, Step: "lost", Pod: h.Name})`},
	{"no hold outlives its bound by more than 90 s of an answering server, or twice that where its clock is set", "LoseHolders", `outlives: `, "observer.go", `s.For += max(0, passed)`, `s.For = max(s.For, passed)`},
	{"no hold is taken away before its bound is over", "WithFaults", `early: |silence: |without a hold|with \d+ holds`, "observer.go", `int64(seconds(long))`, `int64(seconds(grace))`},
	{"no replica begins without a hold, but with what was stable", "WithFaults", `without a place`, "gate.go", `case !v.isProved(hash) || v.untried(hash):`, `case v.Trial != nil && len(v.Trial.Holds) > 0:`},
	{"nothing waits for ever", "SickNode", `in the end, not`, "observer.go", `l.Open && !o.over(v.lateMark(l), l.At, lapse(l.Bound))`, `l.Open`},
	{"a replica that has taken a hash back tries it again, while that is stable", "WrongMinute/proved", `in the end, not`, "gate.go", `v.age(me, date)`, ``},
	{"the snapshot is never what a revision has rejected that has replicas", "WithoutFaults/half", `snapshot: |still what others start on`, "proof.go", `&& !r.isBarred(p.Hash, date)`, ``},
	{"a revision that serves isn't forgotten", "WithFaults/images", `forgotten: `, "revision.go", `v.Rejected[max(0, len(v.Rejected)-1):]`, `nil`},
}

// play runs the simulator with the mutant in the file's place.
func (m mutant) play(t *testing.T) string {
	path, err := filepath.Abs(m.file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mutated, overlay := filepath.Join(dir, m.file), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{mutated: strings.Replace(string(text), m.old, m.new, 1), overlay: string(replace)} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-run", "Fleets.*"+m.games, "-lives", "3", "-failfast", ".").CombinedOutput()
	if err == nil {
		t.Errorf("%s: the simulator doesn't see it", m.file)
	}
	return string(out)
}
