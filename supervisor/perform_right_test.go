package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"confit/linker"
)

// rightDesk is a desk of an app that runs.
func rightDesk() *loop {
	l := newDesk(0)
	l.state = &state{}
	l.state.app.Group = 1
	return l
}

// refusedIn is what a look says of volumes of which a key may not be read.
func refusedIn(volumes linker.Fingerprint) invalid {
	return invalid{reason: fmt.Errorf("cannot read key: %w", fs.ErrPermission), seen: volumes}
}

// answers has the linker answer what it was asked last, and returns what step hears of it.
func (l *loop) answers(t *testing.T, want job, e event) event {
	t.Helper()
	j, number := l.worker.Next()
	if j != want {
		t.Fatalf("the linker's job is %+v, want %+v", j, want)
	}
	l.worker.Answer(number, e)
	return l.answer()
}

// TestRight: what can't be read is looked at again for two seconds, once for the same volumes. Then step hears of it.
func TestRight(t *testing.T) {
	l, look := rightDesk(), stage{known: linker.Known{Fingerprint: "before"}}
	for range 2 {
		l.hands(assign{look})
		for range 3 {
			if e := l.answers(t, look, refusedIn("new")); e != nil {
				t.Fatalf("step hears %+v", e)
			}
			l.lookAgain(l.right.next.Add(-1))
			if l.right.next.IsZero() {
				t.Error("it is looked at too early")
			}
			l.lookAgain(l.right.next)
		}
		if e, ok := l.answers(t, look, stagedAs(1)).(staged); !ok {
			t.Errorf("step hears %+v of what can be read", e)
		}
	}
	l.hands(assign{look})
	l.answers(t, look, refusedIn("new"))
	l.lookAgain(l.right.next)
	l.right.by = time.Now() // the two seconds are over
	for range 2 {           // and a retry doesn't wait again
		if e, ok := l.answers(t, look, refusedIn("new")).(invalid); !ok {
			t.Errorf("step hears %+v", e)
		}
		l.hands(assign{look})
	}
	if e := l.answers(t, look, refusedIn("newer")); e != nil {
		t.Errorf("step hears %+v of other volumes", e)
	}
}

// TestRight_others: another job ends the wait, and nothing else is waited for.
func TestRight_others(t *testing.T) {
	l, look := rightDesk(), stage{}
	l.hands(assign{look})
	l.answers(t, look, refusedIn("new"))
	l.hands(assign{goBack{to: 1}})
	l.lookAgain(time.Now().Add(time.Hour))
	if e := l.answers(t, goBack{to: 1}, withdrawn{}); e == nil {
		t.Error("step doesn't hear of the other job")
	}
	for name, e := range map[string]event{
		"what is missing": invalid{reason: errors.New("key missing"), seen: "new"}, "the system's refusal": failed{fs.ErrPermission}, "nothing new": unchanged{},
	} {
		l.hands(assign{look})
		if got := l.answers(t, look, e); got == nil {
			t.Errorf("%s: step hears nothing", name)
		}
	}
	l.hands(assign{stage{fallback: true}})
	if l.answers(t, stage{fallback: true}, refusedIn("new")) == nil {
		t.Error("the fallback is waited for")
	}
	l.state.app.Group = 0
	l.hands(assign{look})
	if l.answers(t, look, refusedIn("new")) == nil {
		t.Error("a first start waits")
	}
}
