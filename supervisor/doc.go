// Package supervisor knows only when: which step of a transaction comes next,
// how long it may take, and what an event means for the app.
//
// It guarantees that at most one app and one hook are alive; that only a
// candidate which passed its validation, and is still the newest, is published;
// that one which the app was told of is accepted only when it was proved, and
// else taken back and the app told of the accepted one, or started on it; that
// nothing is validated or proved twice without a reason; that every phase which
// waits has a deadline, but for the one whose deadline the platform owns; and
// that a stop ends in done from every phase, with nothing started on the way.
//
// One loop owns all state. [step] is a pure function of the configuration, the
// state, the time and an event; it returns the state that follows and the
// actions to take. Run takes them and feeds their outcome back. It knows no
// paths, no inotify and no system calls: package linker knows files, process
// knows processes, signals knows signals.
//
// The phases, and the events that lead from one to another, in alphabetical
// order; every other pair of phase and event leaves the phase as it is. A test
// derives this table from the code.
//
//	settling     elapsed        → staging
//	             exited         → draining
//	             signalled TERM → stopping
//	staging      crashed        → done, draining, running
//	             exited         → draining
//	             failed         → draining, running, settling, withdrawing
//	             invalid        → draining, running, settling, withdrawing
//	             signalled TERM → done, stopping
//	             staged         → draining, publishing, running, settling, validating
//	             unchanged      → draining, running, settling
//	validating   exited         → draining
//	             hookBarred     → draining, running, settling, staging, withdrawing
//	             hookEnded      → draining, publishing, restarting, running, settling, splaying, staging, starting, telling, withdrawing
//	             signalled TERM → done, stopping
//	splaying     elapsed        → publishing
//	             exited         → draining
//	             signalled TERM → done, stopping
//	publishing   crashed        → done, draining, running
//	             exited         → draining
//	             failed         → withdrawing
//	             published      → draining, restarting, running, settling, staging, starting, telling, validating
//	             signalled TERM → done, stopping
//	             superseded     → staging
//	withdrawing  crashed        → done, draining, running
//	             exited         → draining
//	             failed         → done
//	             signalled TERM → done, stopping
//	             withdrawn      → done, draining, restarting, running, settling, staging, starting, telling
//	telling      exited         → draining, withdrawing
//	             hookBarred     → restarting, withdrawing
//	             hookEnded      → draining, proving, restarting, running, settling, staging, withdrawing
//	             probed         → proving, restarting, running, settling, staging
//	             signalled TERM → done, stopping
//	restarting   exited         → draining
//	             signalled TERM → stopping
//	draining     cleared        → done, starting
//	             elapsed        → done, starting
//	starting     barred         → done
//	             signalled TERM → done
//	             started        → proving, running, settling, staging
//	proving      elapsed        → running, settling, staging, withdrawing
//	             exited         → draining, withdrawing
//	             heard          → running, settling, staging
//	             hookBarred     → running, settling, staging, withdrawing
//	             hookEnded      → draining, running, settling, staging, withdrawing
//	             signalled TERM → done, stopping
//	running      elapsed        → staging
//	             exited         → draining
//	             hinted         → settling, staging
//	             signalled TERM → stopping
//	stopping     exited         → draining
package supervisor
