package supervisor

import (
	"testing"

	"confit/linker"
	"confit/supervisor/slots"
)

// newDesk is a loop that hands jobs over, and is nothing else.
func newDesk(heard int) *loop {
	return &loop{worker: slots.NewExchange[job, event](), heard: heard}
}

func stagedAs(number int) staged {
	return staged{candidate: linker.Candidate{Generation: linker.Generation{Number: number}}}
}

// hands does an action, and hands its jobs over.
func (l *loop) hands(a action) {
	a.perform(l)
	l.worker.Put(l.orders...)
	l.orders = nil
}

// TestLoop_replaced: what was staged for nobody goes away, and step doesn't hear of it.
func TestLoop_replaced(t *testing.T) {
	l := newDesk(0)
	l.hands(assign{stage{}})
	_, number := l.worker.Next()
	l.hands(assign{goBack{}}) // while the stage is under way
	l.worker.Answer(number, stagedAs(1))
	if e := l.answer(); e != nil {
		t.Errorf("heard %+v", e)
	}
	if j, _ := l.worker.Next(); j != (discard{1}) {
		t.Errorf("next is %+v", j)
	}
	_, number = l.worker.Next()
	l.worker.Answer(number, withdrawn{})
	if _, ok := l.answer().(withdrawn); !ok {
		t.Error("what took its place isn't answered")
	}
}

// TestLoop_collects: what is removed was known when that was asked for. A candidate that is on its way stays.
func TestLoop_collects(t *testing.T) {
	l := newDesk(3)
	l.hands(assign{stage{}})
	_, number := l.worker.Next()
	l.hands(assign{collect{inUse: []int{3}}})
	l.worker.Answer(number, stagedAs(4))
	if j, _ := l.worker.Next(); j.(collect).newest != 3 {
		t.Errorf("collects up to %d, want 3", j.(collect).newest)
	}
	l.answer()
	l.hands(assign{collect{inUse: []int{3}}})
	if j, _ := l.worker.Next(); j.(collect).newest != 4 {
		t.Errorf("collects up to %d, want 4", j.(collect).newest)
	}
}
