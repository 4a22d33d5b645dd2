package config

import (
	"maps"
	"testing"

	"confit/signals"
)

// TestMaps: maps as tini, dumb-init and people write them, several in one value or
// each on a line of its own. The last one for a signal or a code wins.
func TestMaps(t *testing.T) {
	file := write(t, "links", "map-signal 15:3\nmap-signal SIGTERM:SIGQUIT, HUP:\n")
	if _, err := parse(t, file, nil, "--", "app"); err == nil {
		t.Error("a value with a blank was taken for one word")
	}
	file = write(t, "links", "map-signal 15:3\nmap-signal SIGINT:SIGTERM,HUP:\nmap-exit 143:0,130:0\nmap-exit 1:2\n")
	c := mustParse(t, file, []string{"CONFIT_MAP_SIGNAL=INT:2", "CONFIT_MAP_EXIT="}, "--map-signal", "RTMIN+1:USR1", "--", "app")
	wantSignals := map[signals.Signal]signals.Signal{15: 3, 2: 2, 1: 0, 35: 10}
	if !maps.Equal(c.MapSignal, wantSignals) {
		t.Errorf("signals %v, want %v", c.MapSignal, wantSignals)
	}
	if want := map[int]int{143: 0, 130: 0, 1: 2}; !maps.Equal(c.MapExit, want) {
		t.Errorf("exit codes %v, want %v", c.MapExit, want)
	}
}
