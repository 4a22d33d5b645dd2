//go:build check

package confit

import (
	"os"
	"strconv"
	"testing"
)

// These are tests at length. Beside each stands one of make test that has fewer rounds.

// rounds is how many there are, unless a variable of the environment asks for others.
func rounds(t *testing.T, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// Before each system call.
func TestCrash_each_step(t *testing.T) { crashAt(t, 1) }

// Two storms, half a minute each.
func TestStorm_orphans(t *testing.T) { orphans(t, rounds(t, "INTEGRATION_STORMS", 1), 100_000) }

func TestStorm_exit(t *testing.T) { exits(t, 100) }

func TestShots(t *testing.T) { shoot(t, 1000) }

// A thousand take some minutes.
func TestSource_whole(t *testing.T) { wholeThrough(t, rounds(t, "INTEGRATION_SWAPS", 100)) }

// A thousand take some minutes.
func TestTry_beside_swaps(t *testing.T) { tryBeside(t, rounds(t, "INTEGRATION_TRIES", 60)) }
