// Package supervisor knows only when: which step of a transaction comes next,
// how long it may take, and what an event means for the app.
//
// It guarantees that at most one app and one hook are alive; that only a
// candidate which passed its validation, and is still the newest, is published;
// that one which the app was reloaded with is accepted only when it was proved.
// Else it is taken back, and the app reloaded with the accepted one, or started
// on it. What is accepted stays replaceable until an app has survived a start
// on it. Nothing is validated or proved twice without a reason; every phase
// which waits has a deadline, but for the one whose deadline the platform owns;
// and a stop ends in done from every phase, with nothing started on the way.
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
//	settling     elapsed         → running, staging
//	             exited          → draining
//	             signalled TERM  → stopping
//	staging      crashed         → done, draining, running
//	             exited          → draining
//	             failed          → draining, running, settling, withdrawing
//	             invalid         → draining, running, settling, withdrawing
//	             signalled TERM  → done, draining, stopping
//	             staged          → draining, publishing, running, settling, validating
//	             unchanged       → draining, running, settling
//	validating   exited          → draining
//	             hookEnded       → checking, draining, running, settling, staging, withdrawing
//	             hookStartFailed → draining, running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	checking     checked         → draining, probing, publishing, reloading, restarting, running, settling, splaying, staging, starting
//	             crashed         → done, draining, running
//	             exited          → draining
//	             failed          → draining, running, settling, staging, withdrawing
//	             invalid         → draining, running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	splaying     elapsed         → publishing
//	             exited          → draining
//	             signalled TERM  → draining, stopping
//	publishing   crashed         → done, draining, running
//	             exited          → draining
//	             failed          → withdrawing
//	             published       → draining, probing, reloading, restarting, running, settling, staging, starting, validating
//	             signalled TERM  → done, draining, stopping
//	             superseded      → running, staging
//	withdrawing  crashed         → done, draining, running
//	             exited          → draining
//	             failed          → done
//	             signalled TERM  → done, draining, stopping
//	             withdrawn       → done, draining, probing, reloading, restarting, running, settling, staging, starting
//	probing      exited          → draining, withdrawing
//	             probed          → delivering, proving, restarting, running, settling, staging
//	             signalled TERM  → stopping
//	delivering   delivered       → proving, restarting, settling, staging
//	             exited          → draining, withdrawing
//	             signalled TERM  → stopping
//	reloading    exited          → draining, withdrawing
//	             hookEnded       → draining, proving, restarting, running, settling, staging, withdrawing
//	             hookStartFailed → restarting, withdrawing
//	             signalled TERM  → draining, stopping
//	restarting   exited          → draining
//	             signalled TERM  → stopping
//	draining     cleared         → done, starting
//	             elapsed         → done, starting
//	starting     signalled TERM  → done, draining
//	             startFailed     → done, withdrawing
//	             started         → proving, running, settling, staging
//	proving      elapsed         → running, settling, staging, withdrawing
//	             exited          → draining, withdrawing
//	             heard           → running, settling, staging
//	             hookEnded       → draining, running, settling, staging, withdrawing
//	             hookStartFailed → running, settling, staging, withdrawing
//	             signalled TERM  → draining, stopping
//	running      elapsed         → staging
//	             exited          → draining, settling, staging
//	             hinted          → settling, staging
//	             signalled TERM  → stopping
//	stopping     exited          → draining
package supervisor
