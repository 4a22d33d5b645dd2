//go:build check

package supervisor

import "testing"

// TestStepRandomWalks_all lives the lives that TestStepRandomWalks leaves to it.
func TestStepRandomWalks_all(t *testing.T) { liveAll(t, 1000, 5000) }
