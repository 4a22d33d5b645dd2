package near

import "testing"

// TestOf: names are compared without their case, and a short one allows fewer slips.
func TestOf(t *testing.T) {
	choices := []string{"settle", "state", "rescan", "stop-signal", "stop-timeout", "a", "nginx.conf", "web"}
	for slip, want := range map[string]string{
		"settel": "settle", "stat": "state", "stop-singal": "stop-signal", "stop_timeout": "stop-timeout", "NGINX.CONF": "nginx.conf",
		"settle": "settle", "": "", "nothing-like-it": "", "re-scan-": "rescan", "A": "a", "b": "", "ab": "a", "ba": "a", "xy": "", "wbe": "web",
	} {
		if got := Of(slip, choices); got != want {
			t.Errorf("%q: %q, want %q", slip, got, want)
		}
	}
}
