package snapshot

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// TestHashKey: Kubernetes takes the name of the file with the hashes as a key.
func TestHashKey(t *testing.T) {
	if wrong := validation.IsConfigMapKey(hashKey); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// TestFits: all that an object can't hold is named at once.
func TestFits(t *testing.T) {
	sum := strings.Repeat("0", 64)
	large := Volume{Keys: map[string][]byte{"a": make([]byte, maxSize-2*len(sum)-2)}, Hash: sum}
	if err := (Object{Volume: "web"}).Fits(large); err != nil {
		t.Errorf("%v", err)
	}
	large.Keys["b"] = []byte("x")
	large.Keys["c/d"], large.Keys["e f"] = nil, nil
	err := Object{Volume: "web"}.Fits(large)
	for _, want := range []string{`volume "web": "c/d" can't be a key of an object, which has`, `"e f" can't be a key`, `volume "web" has 1048577 bytes, and an object takes 1048576`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v doesn't say %s", err, want)
		}
	}
}

// TestCheck: a volume's name becomes part of an object's.
func TestCheck(t *testing.T) {
	if err := (Object{Volume: "web"}).Check("shop"); err != nil {
		t.Error(err)
	}
	for _, volume := range []string{"", "My_Volume", "a/b"} {
		if err := (Object{Volume: volume}).Check("shop"); err == nil || !strings.Contains(err.Error(), "can't be an object's name") {
			t.Errorf("%q: %v", volume, err)
		}
	}
}

// TestFill: text stays text, bytes are encoded, and what was there goes.
func TestFill(t *testing.T) {
	v := Volume{Keys: map[string][]byte{"a": []byte("ä\n"), "b": []byte("\xff")}, Hash: "v"}
	for _, tt := range []struct {
		o    Object
		want map[string]any
	}{
		{Object{Volume: "web"}, map[string]any{
			"type": "x", "data": map[string]any{"a": "ä\n", ".confit-hash": "v w\n"}, "binaryData": map[string]any{"b": "/w=="},
		}},
		{Object{Volume: "web", Secret: true}, map[string]any{
			"type": "x", "data": map[string]any{"a": "w6QK", "b": "/w==", ".confit-hash": "diB3Cg=="},
		}},
	} {
		fields := map[string]any{"type": "x", "data": map[string]any{"old": "1"}, "binaryData": map[string]any{"old2": "1"}}
		tt.o.fill(fields, v, "w")
		if !reflect.DeepEqual(fields, tt.want) {
			t.Errorf("got %v, want %v", fields, tt.want)
		}
	}
	if len(v.Keys) != 2 {
		t.Error("the volume was changed")
	}
}
