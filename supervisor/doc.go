// Package supervisor knows only when: which step of a transaction comes next,
// how long it may take, and what an event means for the app.
//
// It guarantees:
//   - At most one app is alive, one hook that the transaction waits for, and
//     beside these one report hook, which only the next gate waits for.
//   - Only the newest candidate is published. It has passed its validator
//     before, if that reads {candidate}, and else before the app reads it.
//   - What a gate has to be asked about is published only when the gate said yes
//     to this very candidate. The outcome of each gate that was asked is told,
//     until the report hook takes it, before the next one is asked.
//   - A candidate that the app was reloaded with is accepted only when it is
//     proved. Otherwise it is taken back, and the app is reloaded with the
//     accepted generation, or started on it.
//   - The earlier generation is kept until an app has survived a start on the
//     accepted one.
//   - Nothing is validated or proved twice without a reason.
//   - Every phase that waits has a deadline, at which something is done; except
//     stopping: there the platform owns it. A gate may take for ever, but
//     something is looked at meanwhile. A report hook has a deadline of its own.
//   - A stop ends in done, from every phase, and starts nothing on the way.
//
// One loop owns all state. [step] is a pure function of the configuration, the
// state, the time and an event; it returns the next state and the actions. Run
// performs the actions and feeds their outcome back as events. The package
// knows no paths, no inotify and no system calls: package linker knows files,
// process knows processes, signals knows signals.
//
// This table has the phases, and the events that lead from one to another, in
// alphabetical order. Every other pair of phase and event leaves the phase as
// it is. A test derives the table from the code.
//
//	settling     elapsed         → running, staging
//	             exited          → draining
//	             signalled TERM  → stopping
//	staging      crashed         → done, draining, running
//	             exited          → draining
//	             failed          → draining, running, settling, withdrawing
//	             invalid         → draining, running, settling, withdrawing
//	             signalled TERM  → done, draining, stopping
//	             staged          → arming, draining, gating, publishing, running, settling
//	             unchanged       → draining, running, settling
//	arming       armed           → rendering, validating
//	             crashed         → done, draining, running
//	             exited          → draining
//	             signalled TERM  → done, draining, stopping
//	rendering    exited          → draining
//	             hookEnded       → completing, draining, running, settling, staging, withdrawing
//	             hookStartFailed → draining, running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	completing   crashed         → done, draining, running
//	             exited          → draining
//	             failed          → draining, running, settling, staging, withdrawing
//	             invalid         → draining, running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	             staged          → arming, draining, gating, publishing, running, settling, staging, validating
//	validating   exited          → draining
//	             hookEnded       → checking, draining, running, settling, staging, withdrawing
//	             hookStartFailed → draining, running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	checking     checked         → draining, gating, probing, publishing, reloading, restarting, running, settling, splaying, staging, starting, touching
//	             crashed         → done, draining, running
//	             exited          → draining
//	             failed          → draining, running, settling, staging, withdrawing
//	             invalid         → draining, running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	splaying     elapsed         → draining, gating, publishing
//	             exited          → draining
//	             signalled TERM  → draining, stopping
//	gating       compared        → running, staging
//	             crashed         → draining, running
//	             elapsed         → withdrawing
//	             exited          → draining
//	             hookEnded       → draining, publishing, running, settling, staging, withdrawing
//	             hookStartFailed → running, settling, staging, withdrawing
//	             reportStored    → running, settling, staging, withdrawing
//	             signalled TERM  → done, draining, stopping
//	publishing   barred          → draining, running, settling, staging, withdrawing
//	             crashed         → done, draining, running
//	             exited          → draining
//	             failed          → withdrawing
//	             published       → draining, probing, reloading, restarting, running, settling, staging, starting, touching, validating
//	             signalled TERM  → done, draining, stopping
//	             superseded      → running, staging
//	withdrawing  crashed         → done, draining, running
//	             exited          → draining
//	             failed          → done, staging
//	             signalled TERM  → done, draining, stopping
//	             withdrawn       → done, draining, probing, reloading, restarting, running, settling, staging, starting, touching
//	probing      denied          → running, settling, staging, withdrawing
//	             exited          → draining, withdrawing
//	             probed          → restarting
//	             sent            → delivering, proving, running, settling, staging
//	             signalled TERM  → stopping
//	delivering   delivered       → proving, restarting, running, settling, staging
//	             exited          → draining, withdrawing
//	             signalled TERM  → stopping
//	touching     crashed         → draining, running
//	             exited          → draining
//	             signalled TERM  → draining, stopping
//	             touched         → draining, proving, reading, restarting, running, settling, staging, withdrawing
//	reading      elapsed         → restarting
//	             exited          → draining, withdrawing
//	             opened          → proving
//	             signalled TERM  → stopping
//	reloading    exited          → draining, withdrawing
//	             hookEnded       → draining, proving, restarting, running, settling, staging, withdrawing
//	             hookStartFailed → restarting, withdrawing
//	             signalled TERM  → draining, stopping
//	restarting   denied          → running, settling, staging, withdrawing
//	             exited          → draining
//	             signalled TERM  → stopping
//	draining     cleared         → done, starting, withdrawing
//	             elapsed         → done, starting, withdrawing
//	starting     signalled TERM  → done, draining
//	             startFailed     → done, withdrawing
//	             started         → proving, running, settling, staging
//	proving      elapsed         → restarting, running, settling, staging, withdrawing
//	             exited          → draining, withdrawing
//	             heard           → running, settling, staging
//	             hookEnded       → draining, restarting, running, settling, staging, withdrawing
//	             hookStartFailed → restarting, running, settling, staging, withdrawing
//	             signalled TERM  → draining, stopping
//	running      elapsed         → staging
//	             exited          → draining, settling, staging
//	             hinted          → settling, staging
//	             signalled TERM  → stopping
//	stopping     exited          → draining
package supervisor
