package linker

import (
	"testing"

	"confit/linker/generation"
	"confit/linker/lines"
)

// TestHash_whole: every bit of a key's hash counts.
func TestHash_whole(t *testing.T) {
	l := &Linker{links: []*lines.Line{{}}}
	one, other := map[Key]generation.File{"a": {Links: []int{0}}}, map[Key]generation.File{"a": {Links: []int{0}, Sum: Hash{len(Hash{}) - 1: 1}}}
	if generation.HashOf(one) == generation.HashOf(other) {
		t.Error("two generations whose keys differ have one hash")
	}
	first, _ := l.share(one)
	if second, _ := l.share(other); first == second {
		t.Error("two generations whose keys differ have one shared hash")
	}
}
