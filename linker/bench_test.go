package linker

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkSwap is what a swap of ten keys, of which one changed, takes from
// its hint to the moment when all targets have changed over. On a busy machine
// the fastest tenth tells more than the mean.
func BenchmarkSwap(b *testing.B) {
	h := newFixture(b, "web/ web/")
	h.open()
	swap := func(n int) {
		kv := []string{"changed", fmt.Sprint(n)}
		for i := range 9 {
			kv = append(kv, fmt.Sprint("key", i), fmt.Sprintf("%01000d", i))
		}
		h.write("web", kv...)
	}
	swap(0)
	h.adopt()
	var took []time.Duration
	for n := 1; b.Loop(); n++ {
		swap(n)
		begin := time.Now()
		h.stage()
		h.must(h.linker.Publish(h.candidate.Number, false))
		took = append(took, time.Since(begin))
		h.accept()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/10].Microseconds()), "µs/swap")
}
