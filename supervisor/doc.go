// Package supervisor knows only when: which step of a transaction comes next, how long it may take,
// and what an event means for the app.
//
// It guarantees:
//   - At most one app is alive. At most one hook of the transaction runs, and
//     beside that at most one report hook. Only the next gate waits for a report, and the
//     end of confit, for as long as a drain may take.
//   - Only the newest candidate is published. It has passed its validator
//     before, if that reads {candidate}, and else before the app reads it.
//   - What a gate has to be asked about is published only when the gate said yes
//     to this very candidate. The outcome of each gate that was asked is told,
//     until the report hook takes it, before the next one is asked; and so is what
//     the app dies of late that a gate let go.
//   - A candidate that the app was reloaded with is accepted only when it is
//     proved. Otherwise it is taken back, and the app is reloaded with the
//     accepted generation, or started on it.
//   - Older generations are kept until an app that was started on the accepted one has
//     lived for --soak. An app that ends badly before, twice in a row, is started on an
//     older one; only where it lives for --soak, what is above is rejected.
//   - No edit ends what an app works at before it has begun, for as long as --entrypoint-timeout
//     says.
//   - Nothing is validated or proved twice without a reason.
//   - Every phase that waits has a deadline, at which something is done; except
//     stopping: there the platform owns it. A gate may take for ever, but
//     something is looked at meanwhile. A report hook has a deadline of its own.
//   - A stop ends in done, from every phase, and starts nothing on the way.
//
// One loop owns all state. [step] is a pure function of the configuration, the state, the time and
// an event; it returns the next state and the actions. Run performs the actions and feeds their
// outcome back as events. The package knows no paths, no inotify and no system calls: package
// linker knows files, process knows processes, signals knows signals.
//
// Two machines share that function. The app's half is a plain init, package app: it starts, signals
// and ends the app, and knows nothing of files. The change is the transaction: it asks the app's
// half to make the app read what is in force, and learns in the same step what came of it.
// phases.go has a row for each phase of the change, and the steps of a candidate in their order: a
// pair of phase and event that has no entry leaves the phase as it is. What the app shall have is
// computed by package goal. What follows when nothing is left of an app is a value, app.Then. When
// the configuration side breaks down, the change is in a phase that only starts the app again.
//
// The files lie in layers. At the bottom stand the state and what can be read off it (state.go,
// parts.go, facts.go, limits.go). Then come what step says and does (action.go, transition.go),
// what is known against staged keys (known.go, killed.go), what is kept for the status, the report
// hook and a confit that comes after this one was killed (history.go, outcomes.go, note.go), what
// begins a phase (begin.go, hook.go), and what the app does (app.go). What ends a phase goes where
// the goal is, or names the next one: goal.go, accept.go, reject.go, putoff.go, ladder.go, proof.go,
// reload.go, withdraw.go, gate.go, entry.go, comparing.go and candidate.go. The table stands above
// them, and beside.go and step.go on top. When an event is over, observe.go makes the status of the
// state, and show.go the line of a debug log.
package supervisor
