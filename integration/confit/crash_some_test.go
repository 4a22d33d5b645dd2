package confit

import "testing"

// crashes kill confit, and with it the container, at system calls that are a stride apart, and see what the next confit makes of each.
var crashes = map[string]func(t *testing.T, stride int){
	"first_start": crashInFirstStart,
	"gate":        crashInGate,
	"late":        crashInLate,
	"drift":       crashInDrift,
	"fixed":       crashInFixedStart,
	"proof":       crashInProof,
	"repair":      crashInRepair,
	"roll_back":   crashInRollBack,
	"seed":        crashInSeed,
	"source":      crashInSource,
	"swap":        crashInSwap,
	"take_back":   crashInTakeBack,
	"touch":       crashInTouch,
}

func crashAt(t *testing.T, stride int) {
	t.Parallel()
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			crash(t, stride)
		})
	}
}

// Every eleventh system call. make check takes each: TestCrash_each_step.
func TestCrash_some_steps(t *testing.T) { crashAt(t, 11) }
