package volume

import (
	"confit/linker/files"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFresh: a key is fresh as long as a second change might leave its times as they
// are. Where a file system counts in seconds, that is until the next one it can show.
func TestFresh(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for name, tt := range map[string]struct {
		changed, began time.Duration
		atomic, fresh  bool
	}{
		"in the tick of the look":             {100*s + 4*ms, 100*s + 4*ms, false, true},
		"after the look began":                {100*s + 8*ms, 100*s + 4*ms, false, true},
		"in a later second":                   {101*s + 4*ms, 100*s + 900*ms, false, true},
		"one tick before":                     {100*s + 4*ms, 100*s + 8*ms, false, false},
		"seconds before":                      {99*s + 900*ms, 100*s + 4*ms, false, false},
		"by a clock of seconds":               {100 * s, 100*s + 900*ms, false, true},
		"by a clock of two seconds":           {100 * s, 101*s + 900*ms, false, true},
		"by a clock of seconds, a while ago":  {100 * s, 102*s + 4*ms, false, false},
		"behind ..data, where nothing writes": {100*s + 4*ms, 100*s + 4*ms, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := Reading{
				Keys:  []Key{{vol: &volume{atomic: tt.atomic}, st: files.Stat{Stat_t: unix.Stat_t{Ctim: unix.NsecToTimespec(int64(tt.changed))}}}},
				began: unix.NsecToTimespec(int64(tt.began)),
			}
			if got := r.Fresh(); got != tt.fresh {
				t.Errorf("changed at %v, looked at from %v on: fresh is %v", tt.changed, tt.began, got)
			}
		})
	}
}
