// Package snapshot keeps what the fleet has accepted in objects of Kubernetes,
// for pods to start on: a ConfigMap or a Secret for each volume.
//
// It guarantees that what is kept is a whole configuration: the keys are read
// and checked against its hash, and what doesn't fit into an object is refused
// before anything is written; so is what may be a Secret where a ConfigMap was
// asked for. An object is replaced only if nobody changed it
// since it was read. It never creates or deletes one: the manifest makes them,
// and whoever uses them needs get and update on those names.
//
// It doesn't know when to write: see package fleet.
//
//	files.go    the keys of a generation, by volume
//	object.go   what an object can hold
//	private.go  what a ConfigMap must not show
//	store.go    the objects of one fleet
package snapshot
