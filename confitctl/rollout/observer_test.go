package rollout

import (
	"encoding/json"
	"testing"
	"time"
)

// look is one look of a replica: at its own clock, and at the server's.
type look struct {
	own    time.Duration
	date   int64
	missed bool // nobody answered
}

// TestLapse: when a place is given away that was taken at 1000 by the server's clock,
// for 300 s. A look that isn't answered doesn't count, nor does the time until the next.
func TestLapse(t *testing.T) {
	every := func(from, to, step int, ahead int64) (looks []look) {
		for s := from; s <= to; s += step {
			looks = append(looks, look{own: time.Duration(s) * time.Second, date: 1000 + int64(s) + ahead})
		}
		return looks
	}
	for name, tt := range map[string]struct {
		looks []look
		want  bool
	}{
		"from the beginning, too short":                   {every(0, 320, 10, 0), false},
		"from the beginning":                              {every(0, 330, 10, 0), true},
		"late, for less than a minute":                    {every(400, 450, 10, 0), false},
		"late, for a minute":                              {every(400, 460, 10, 0), true},
		"late, and the server doesn't say":                {every(400, 460, 10, -1400-460), false},
		"late, and before its bound is over by the clock": {every(400, 460, 10, -150), false},
		"late, the server's clock is set":                 {append(every(400, 430, 10, 0), every(440, 470, 10, 60)...), false},
		"late, the clock is set, and it was long":         {append(every(400, 430, 10, 0), every(440, 740, 10, 60)...), true},
		"the own clock stood still":                       {[]look{{own: 0, date: 1000}, {own: 0, date: 2000}}, false},
		"an outage":                                       {append(append(every(0, 100, 10, 0), look{missed: true}), every(400, 450, 10, 0)...), true},
		"an outage, and nobody looked before":             {append(append(every(90, 100, 10, 0), look{missed: true}), every(400, 440, 10, 0)...), false},
		"an outage without a date":                        {append(append(every(0, 100, 10, -1000), look{missed: true}), every(500, 700, 10, -5000)...), false},
		"two looks far apart":                             {append(every(0, 10, 10, 0), every(1000, 1010, 10, 0)...), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := Record{Revisions: []*Revision{{Name: "r1", Stable: "A", Trial: &Trial{
				Hash: "B", Holds: []Hold{{Pod: "p", Bound: 300, Serial: 7, At: 1000}}}}}}
			var o Observer
			for _, l := range tt.looks {
				if l.missed {
					o = o.Missed()
					continue
				}
				o = kept(t, o).Look(r, Moment{l.own, max(0, l.date)})
			}
			if lapsed := len(r.Sweep(o).Revisions[0].Trial.Holds) == 0; lapsed != tt.want {
				t.Errorf("lapsed: %t, %+v", lapsed, o)
			}
		})
	}
}

// kept is an observer as its file has it.
func kept(t *testing.T, o Observer) (back Observer) {
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}
