package main

import "testing"

// TestPairs: each two levels of two axes come together in a pod, and the pods are few.
func TestPairs(t *testing.T) {
	rows := pairs(axes)
	missing := missingPairs(axes)
	all := len(missing)
	for _, r := range rows {
		for _, p := range r.pairs() {
			delete(missing, p)
		}
	}
	if len(missing) > 0 || len(rows) > 24 {
		t.Errorf("%d pods, of whose %d pairs %d are missing: %v", len(rows), all, len(missing), missing)
	}
	t.Logf("%d pods for %d pairs", len(rows), all)
}
