//go:build check

package confit

import (
	"cmp"
	"testing"
	"time"
)

// Each deed in each moment, and then any of them until ten minutes are over.
func TestMeddled_at_length(t *testing.T) {
	t.Parallel()
	long := time.Duration(cmp.Or(fromEnvironment(t, "INTEGRATION_MINUTES"), 10)) * time.Minute
	meddle(t, everyDeed(allMoments...), 8, long, 4*time.Second)
}
