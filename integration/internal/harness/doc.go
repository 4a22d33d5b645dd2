// Package harness starts a program as PID 1 of a box, watches it and ends it. Every test and every program below integration/
// uses it. It guarantees that nothing of a box is left behind, however the test ends, and that no wait is longer than Patience.
//
// It knows nothing of confit: any program may be PID 1. What confit's command line, log and status look like is known to the tests.
//
// Read it in this order:
//
//	role.go, suite.go, program.go   what a test binary does before its first test, and the parts that it plays
//	box.go, mount.go, seccomp.go    what surrounds the program, set up from inside
//	under.go                        a PID 1 above the program
//	command.go, init.go             start the program from outside, and hold it
//	process.go, network.go          look into the box
//	transcript.go, terminal.go      what the program writes
//	poll.go, run.go                 all that for a test, which fails when something doesn't come true
//	app.go, tracer.go               a small daemon below the program, and what kills the program at a chosen system call
//	companion.go, volume.go         programs beside the box, and the kubelet's writer as one
//	inner.go                        the failure of a process further in
//	silence.go                      a directory that doesn't answer
//	tree.go                         what is in a directory
package harness
