package integration

import (
	"fmt"
	"testing"
)

// eachUser runs a test as root and as nobody, in a directory of that user's.
func eachUser(t *testing.T, name string, test func(*testing.T, *setup)) {
	t.Helper()
	for _, uid := range []int{0, nobody} {
		full := fmt.Sprintf("uid_%d", uid)
		if name != "" {
			full = name + "/" + full
		}
		t.Run(full, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.box.UID = uid
			giveAway(t, s.dir, uid)
			test(t, s)
		})
	}
}
