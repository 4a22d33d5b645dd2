// Package rollout decides which replica of a fleet may take up a configuration
// next. It is pure: a record and a question in, an answer and a record out. It
// has no clock and no I/O; whoever calls it keeps the record where an update
// fails when somebody else was faster, and believes an answer only once the
// record that came with it is stored.
//
// A configuration is known by its hash. Each revision of the app, which is an
// image with its pod template, has a rollout of its own:
//
//	            gate: a hold                 the canaries accepted
//	unknown ──────────────────▶ trial ─────────────────────────────▶ stable ⇄ previous
//	                              │                                     │
//	                              └──────────▶ rejected ◀───────────────┘
//	                                  enough verdicts, early or late
//
// It guarantees, while every holder ends within its bound:
//
//   - One hash is tried at a time in a revision. Another waits until no replica
//     holds the first, then takes its place.
//   - Canaries go one after the other. Then no more replicas are in flight than
//     a share of those that accepted, or a number, and never more than 100.
//   - Enough verdicts stop a hash, whoever gives them and however late: nobody else of
//     its revision goes on with it. One is enough before it is proved.
//   - Nothing but verdicts, and people, reject. A holder that was lost frees its place
//     and delays the next canary.
//   - Without a hold a replica goes on only with what its fleet has lived on, or a
//     person has let go.
//   - What new pods are to start on is never what a revision has rejected that may have
//     replicas.
//
// It doesn't guarantee that a holder which was cut off from everybody for
// longer than its bound is alone: its place is given away, and it may overlap
// with its successor.
//
//	record.go    the record, and its text
//	gate.go      who may begin
//	report.go    what a replica says, and late.go, proof.go what follows
//	observer.go  how long something is as it is
//	revision.go  which revisions are known
//	person.go    what people do; view.go and progress.go what they see
package rollout
