package linker

import (
	"os"
	"strings"
	"testing"
)

// TestHashesStay: the same keys have the same hashes in every version of confit. In a fleet of
// two versions a gate would ask about the same edit twice, and an alert would say that replicas differ.
func TestHashesStay(t *testing.T) {
	h := newFixture(t, "web/a a", "web/sub/ tree/", "own/x x local")
	h.write("web", "a", "one", "sub/b", "two")
	h.write("own", "x", "three")
	h.open()
	c := h.adopt()
	const whole, shared = "344076feb6535817f9c998930a5f882725699182d257d9d4aa01a1f7b1ef7f3d", "72008a86b5bc1d3f279f434497e30a0c2b4f662264ccc1f86250943bc065e8ae"
	if got := c.Hash.Hex(); got != whole {
		t.Errorf("the generation's hash is %s, was %s", got, whole)
	}
	if got := c.Shared.Hex(); got != shared {
		t.Errorf("CONFIT_HASH is %s, was %s", got, shared)
	}
}

// TestNoteStays: a note of an older confit is read. That didn't say what replicas share of what the app died of.
func TestNoteStays(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	late := Late{Inputs: Hash{7}, Common: Hash{8}, At: 1e9, Wait: 3600}
	h.must(h.linker.WriteNote(Note{Late: late}))
	h.close()
	note, err := os.ReadFile(h.path("state/note.json"))
	h.must(err)
	older := strings.Replace(string(note), `"common":"`+late.Common.Hex()+`",`, "", 1)
	if want := `"remembered":{"inputs":"` + late.Inputs.Hex() + `","at":1000000000,"wait":3600}`; !strings.Contains(older, want) {
		t.Fatalf("the older note is %s, want %s in it", older, want)
	}
	h.must(os.WriteFile(h.path("state/note.json"), []byte(older), 0o644))
	late.Common = Hash{}
	if got := h.restart().former.Late; got != late {
		t.Errorf("the next confit finds %+v, want %+v", got, late)
	}
}
