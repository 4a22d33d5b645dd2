//go:build race

package integration

// raceEnabled makes the suite build confit with the race detector when the suite itself is run with it.
const raceEnabled = true
