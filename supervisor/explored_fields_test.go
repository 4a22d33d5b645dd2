package supervisor

import (
	"reflect"
	"testing"

	"confit/linker"
	"confit/status"
	"confit/supervisor/app"
	"confit/supervisor/ladder"
	"confit/supervisor/outcomes"
	"confit/supervisor/slots"
	"confit/supervisor/verdict"
)

// leftOut lists what the canonical form leaves out, and why nothing depends on it.
var leftOut = map[string]string{
	"history.proven":     "is for the status alone",
	"history.live":       "is for the status and the log alone",
	"history.tried":      "is for the status alone",
	"history.undecided":  "is for the status alone",
	"history.lastReport": "is for the status alone",
	"history.gated":      "is for the status alone",
	"history.stalled":    "is for the status alone",
	"history.damaged":    "is for the status alone",
	"history.relinked":   "is for the status alone",
	"history.count":      "is for the status alone",
	"life.Text":          "is for the status alone",
	"known.told":         "is for the status alone",
	"known.heldLine":     "is a line of the log",
	"Rejection.At":       "is for the status alone",
	"Rejection.Output":   "is for the status alone",
	"Rejection.HeldUp":   "is for the status and the log alone",
	"state.complaints":   "decides only whether the log repeats itself",
	"state.repairBy":     "leads to repair alone, which changes nothing outside",
	"state.links":        "the links files don't change here",
	"state.inside":       "decides only about a line of the log",
	"Sight.Program":      "is for the status and the log alone",
	"Entry.first":        "no script stays here",
	"transaction.warned": "decides only whether the log repeats itself, and a look",
	"App.Restarts":       "is for the status alone",
	"App.Reloads":        "is for the status alone",
	"App.LastExit":       "is for the status alone",
	"Ladder.DownFor":     "is for the status and the log alone",
	"Outcome.Reason":     "is a text for people",
	"model.copies":       "those that anything leads to are there, or an invariant is broken; which of them were rendered is written",
	"outside.now":        "all times are written as what is left until then",
	"model.numbers":      "the next number is always a new one",
	"outside.pids":       "the next pid is always a new one",
}

// presence lists the texts and pointers of which only counts whether there is one.
var presence = map[string]bool{
	"state.pendingProof": true, "state.degraded": true, "life.SignalErr": true,
}

// ranked lists the numbers of which only counts which is equal to which, and the
// kind of each.
var ranked = map[string]byte{
	"life.PID": 'p', "life.Group": 'p', "outside.app": 'p', "publish.app": 'p',
	"Generation.Number": 'n', "made.number": 'n', "publish.number": 'n', "goBack.to": 'n', "goBack.from": 'n', "collect.inUse": 'n', "collect.newest": 'n', "discard.number": 'n', "model.heard": 'n', "transaction.wentFrom": 'n',
	"complete.number": 'n', "complete.accepted": 'n', "touch.number": 'n', "compare.number": 'n', "repair.number": 'n', "glance.inForce": 'n', "glance.accepted": 'n', "Known.Accepted": 'n',
}

// stamps lists the times that count on after they have passed. All others are
// just due then.
var stamps = map[string]bool{"life.renewed": true, "proof.attempted": true, "proof.until": true, "Entry.spoke": true, "outside.readAt": true}

// during lists the fields that count in one phase alone. They are set when it begins.
var during = map[string]phase{"state.quietBy": settling, "state.endedBy": comparing, "state.endedIn": comparing, "transaction.outdated": gating, "transaction.proof": proving}

// lifeOf is the type of an app's life.
func lifeOf() reflect.Type {
	f, _ := reflect.TypeFor[app.App]().FieldByName("life")
	return f.Type
}

// TestExploredFields holds that the tables name fields that there are.
func TestExploredFields(t *testing.T) {
	there := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[state](), reflect.TypeFor[history](), reflect.TypeFor[app.App](), lifeOf(), reflect.TypeFor[app.Entry](), reflect.TypeFor[app.Sight](), reflect.TypeFor[outcomes.Outcomes](), reflect.TypeFor[outcomes.Hook](), reflect.TypeFor[proof](), reflect.TypeFor[known](), reflect.TypeFor[verdict.Verdict](), reflect.TypeFor[status.Rejection](), reflect.TypeFor[transaction](),
		reflect.TypeFor[outside](), reflect.TypeFor[model](), reflect.TypeFor[made](), reflect.TypeFor[linker.Outcome](), reflect.TypeFor[linker.Generation](), reflect.TypeFor[linker.Known](), reflect.TypeFor[notes](), reflect.TypeFor[linker.Rung](), reflect.TypeFor[ladder.Ladder](),
		reflect.TypeFor[publish](), reflect.TypeFor[goBack](), reflect.TypeFor[collect](), reflect.TypeFor[discard](), reflect.TypeFor[slots.Jobs[job]](), reflect.TypeFor[complete](), reflect.TypeFor[touch](), reflect.TypeFor[compare](), reflect.TypeFor[repair](), reflect.TypeFor[glance]()} {
		for i := range of.NumField() {
			there[plain(of)+"."+of.Field(i).Name] = true
		}
	}
	check := func(name string) {
		if !there[name] {
			t.Errorf("a table of the canonical form names %s, which isn't there", name)
		}
	}
	for name := range leftOut {
		check(name)
	}
	for name := range presence {
		check(name)
	}
	for name := range ranked {
		check(name)
	}
	for name := range during {
		check(name)
	}
	for name := range stamps {
		check(name)
	}
}
