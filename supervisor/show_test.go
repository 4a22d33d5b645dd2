package supervisor

import (
	"testing"
	"time"

	"confit/config"
)

// TestFleeting: where somebody writes beside the keys all the time, each hint
// leads to a moment of settling. Only a long one is shown.
func TestFleeting(t *testing.T) {
	for settle, want := range map[time.Duration]bool{config.SettleAuto: true, 999 * time.Millisecond: true, time.Second: false} {
		s := &state{phase: settling}
		if got := s.isFleeting(&config.Config{Settle: settle}); got != want {
			t.Errorf("%v of quiet: fleeting %v, want %v", settle, got, want)
		}
	}
}
