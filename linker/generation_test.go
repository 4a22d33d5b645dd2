package linker

import (
	"testing"

	"confit/linker/lines"
)

// TestHash_whole: every bit of a key's hash counts.
func TestHash_whole(t *testing.T) {
	l := &Linker{links: []lines.Line{{}}}
	one, other := map[Key]file{"a": {links: []int{0}}}, map[Key]file{"a": {links: []int{0}, sum: Hash{len(Hash{}) - 1: 1}}}
	if hashOf(one) == hashOf(other) {
		t.Error("two generations whose keys differ have one hash")
	}
	first, _ := l.share(one)
	if second, _ := l.share(other); first == second {
		t.Error("two generations whose keys differ have one shared hash")
	}
}
