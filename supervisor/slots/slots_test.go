package slots

import (
	"fmt"
	"slices"
	"testing"
)

// job is the name of one.
type job any

// rest takes out all that is left to do. What is awaited has a mark.
func rest(s Jobs[job]) (list []string) {
	for {
		j, isAwaited := s.Next()
		switch {
		case j == nil:
			return list
		case isAwaited:
			list = append(list, fmt.Sprint(j, "!"))
		default:
			list = append(list, fmt.Sprint(j))
		}
	}
}

// TestJobs: the latest job of a kind is left, slots come in their order, and the last that was awaited is.
func TestJobs(t *testing.T) {
	type step struct {
		kind    Kind
		name    string
		awaited bool
	}
	for name, tt := range map[string]struct {
		steps []step
		want  []string
	}{
		"nothing":                          {nil, nil},
		"in their order":                   {[]step{{Transaction, "stage", true}, {Links, "links", false}, {Collect, "collect", false}, {Note, "note", false}, {Record, "record", false}, {Discard, "discard", false}}, []string{"discard", "record", "note", "collect", "links", "stage!"}},
		"the latest":                       {slices.Repeat([]step{{Note, "old", false}, {Record, "old", false}, {Note, "new", false}, {Record, "new", false}}, 40), []string{"new", "new"}},
		"a newer awaited job":              {[]step{{Transaction, "stage", true}, {Transaction, "back", true}}, []string{"back!"}},
		"an awaited record":                {[]step{{Record, "trial", true}}, []string{"trial!"}},
		"a record in place of an awaited":  {[]step{{Record, "old", true}, {Record, "new", false}}, []string{"new!"}},
		"an awaited record after a job":    {[]step{{Transaction, "stage", true}, {Record, "trial", true}}, []string{"trial!"}},
		"a job after an awaited record":    {[]step{{Record, "trial", true}, {Transaction, "back", true}}, []string{"trial", "back!"}},
		"a record, a job, another record":  {[]step{{Record, "old", true}, {Transaction, "back", true}, {Record, "new", false}}, []string{"new", "back!"}},
		"an awaited record after a record": {[]step{{Record, "old", false}, {Record, "new", true}}, []string{"new!"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s Jobs[job]
			for _, p := range tt.steps {
				s.Put(Order[job]{p.name, p.kind, p.awaited})
			}
			if got := rest(s); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestJobs_Take: what a transaction waits for may have begun before the rest came.
func TestJobs_Take(t *testing.T) {
	var s Jobs[job]
	s.Put(Order[job]{"stage", Transaction, true})
	s.Put(Order[job]{"note", Note, false})
	if j, isAwaited := s.Take(Transaction); j != "stage" || !isAwaited {
		t.Errorf("%v, awaited %v", j, isAwaited)
	}
	if got := rest(s); !slices.Equal(got, []string{"note"}) {
		t.Errorf("%q", got)
	}
}

// TestExchange_replaced: the answer of a job counts no more when another one took its place: not where that had begun, and not where it
// was answered already.
func TestExchange_replaced(t *testing.T) {
	for _, isAnswered := range []bool{false, true} {
		x := NewExchange[job, string]()
		x.Put(Order[job]{"stage", Transaction, true})
		_, first := x.Next()
		if isAnswered {
			x.Answer(first, "staged")
		}
		x.Put(Order[job]{"back", Transaction, true})
		if !isAnswered {
			x.Answer(first, "staged")
		}
		if e, counts := x.Take(); e != "staged" || counts {
			t.Errorf("%q counts: %v", e, counts)
		}
		_, second := x.Next()
		x.Answer(second, "back")
		if e, counts := x.Take(); e != "back" || !counts {
			t.Errorf("%q counts: %v", e, counts)
		}
	}
}

// TestExchange_unwaited: one side hands over as much as it likes while nobody works, and the other while nobody listens. What isn't awaited
// counts, whatever was asked for since. After the end all that is left is done.
func TestExchange_unwaited(t *testing.T) {
	x := NewExchange[job, int]()
	for n := range 1000 {
		x.Put(Order[job]{"trial", Record, false}, Order[job]{"stage", Transaction, true})
		x.Answer(0, n)
	}
	x.Put(Order[job]{"back", Transaction, true})
	for n := range 1000 {
		select {
		case <-x.Answered:
		default:
			t.Fatal("nobody says that there is an answer")
		}
		if e, counts := x.Take(); e != n || !counts {
			t.Fatalf("answer %d is %d, and counts: %v", n, e, counts)
		}
	}
	if e, counts := x.Take(); counts {
		t.Errorf("answer %d too many", e)
	}
	x.Close()
	for _, want := range []job{"trial", "back", nil} {
		if j, _ := x.Next(); j != want {
			t.Errorf("next is %v, want %v", j, want)
		}
	}
}

// TestExchange_waits: a worker that has nothing to do hears of the next job, and of the end.
func TestExchange_waits(t *testing.T) {
	x := NewExchange[job, job]()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			j, number := x.Next()
			if j == nil {
				return
			}
			x.Answer(number, j)
		}
	}()
	for n := range 100 {
		x.Put(Order[job]{n, Transaction, true})
		<-x.Answered
		if e, counts := x.Take(); e != n || !counts {
			t.Fatalf("%v, and counts: %v", e, counts)
		}
	}
	x.Close()
	<-ended
}
