package supervisor

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/status"
)

// newShown is a loop that is running, and has said so.
func newShown(c config.Config) *loop {
	l := &loop{Supervisor: Supervisor{Config: &c}, state: &state{}}
	l.status.newest = make(chan shown, 1)
	l.state.phase, l.state.seen = running, &status.Status{Phase: "running"}
	l.showStatus()
	<-l.status.newest
	return l
}

// TestShow_news: whatever the status says anew is shown.
func TestShow_news(t *testing.T) {
	for i := range reflect.TypeFor[status.Status]().NumField() {
		name := reflect.TypeFor[status.Status]().Field(i).Name
		if slices.Contains([]string{"Version", "Confit", "Updated", "Volumes", "Keys"}, name) {
			continue // these are filled in later
		}
		l := newShown(config.Config{})
		another := *l.state.seen
		l.state.seen = &another
		switch f := reflect.ValueOf(l.state.seen).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("another")
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Int:
			f.SetInt(7)
		case reflect.Bool:
			f.SetBool(!f.Bool())
		default: // numbers come first in the others
			f.Field(0).SetInt(7)
		}
		if l.showStatus(); len(l.status.newest) == 0 {
			t.Errorf("another %s was not shown", name)
		}
	}
}

// TestShow_keys: the status has the keys of what is accepted.
func TestShow_keys(t *testing.T) {
	l := newShown(config.Config{})
	l.showStatus()
	if len(l.status.newest) > 0 {
		t.Fatal("nothing is new, and it was shown")
	}
	l.state.accepted().Keys = &linker.Keys{}
	l.showStatus()
	if len(l.status.newest) == 0 {
		t.Error("new keys were not shown")
	}
}

// TestShow_settling: where somebody writes beside the keys all the time, each hint
// leads to a moment of settling. Only a long one is shown.
func TestShow_settling(t *testing.T) {
	for settle, want := range map[time.Duration]int{config.SettleAuto: 0, 999 * time.Millisecond: 0, time.Second: 1} {
		l := newShown(config.Config{Settle: settle})
		l.state.phase, l.state.seen = settling, &status.Status{Phase: "settling"}
		l.showStatus()
		if n := len(l.status.newest); n != want {
			t.Errorf("after %v of quiet: shown %d times, want %d", settle, n, want)
		}
	}
}

// TestShow_not_written: what the disk had no room for is written at a later look,
// though nothing has changed since.
func TestShow_not_written(t *testing.T) {
	l := newShown(config.Config{})
	l.status.unwritten.Store(true)
	for _, want := range []int{1, 0} {
		l.showStatus()
		if n := len(l.status.newest); n != want {
			t.Fatalf("shown %d times, want %d", n, want)
		}
		for len(l.status.newest) > 0 {
			<-l.status.newest
		}
	}
}
