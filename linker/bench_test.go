package linker

import (
	"fmt"
	"testing"
)

// BenchmarkSwap is what a swap of ten keys, of which one changed, takes from
// its hint to the moment when all targets have changed over, and the tidying
// after that.
func BenchmarkSwap(b *testing.B) {
	h := newHouse(b, "web/ web/")
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
	for n := 1; b.Loop(); n++ {
		b.StopTimer()
		swap(n)
		b.StartTimer()
		h.stage()
		h.must(h.linker.Publish())
		b.StopTimer()
		h.accept()
		b.StartTimer()
	}
}
