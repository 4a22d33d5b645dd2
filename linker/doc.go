// Package linker knows files: links, volumes, generations, and the moment when
// a volume was swapped.
//
// It guarantees that a generation is a complete copy of every linked key, read
// from one state of each volume; that all targets change over to a generation
// in one rename(2); that wherever confit is killed, each target is whole, old
// or new; and that nothing which confit did not make is lost. A file that stood
// where a target goes is kept beside it and comes back; of what an app writes in
// the place of a link the newest is kept. Each step checks in the moment in which
// it acts that there is what it was planned for. What others do to the links of
// the accepted generation is mended at the next look.
//
// It does not know who reads the files, and it never decides whether or when:
// package supervisor calls [Linker.Stage], [Linker.Publish], and then either
// [Linker.Accept] or [Linker.Reject]. A generation that was proved is written
// down by [Linker.Store], and is what a confit that starts again on the same
// state directory can go back to. As long as it has not survived a start, the
// newest one that has is kept beside it, for [Linker.GoBack]. A generation that
// is put in force again is byte for byte what was accepted, whatever an app, an
// entrypoint or a hook did to its files, and its modes and owners are right. No value of a key appears in any of its
// errors.
//
//	<state>/live                          -> generations/7, the one link that moves
//	<state>/generations/7/web/nginx.conf  read-only copy
//	<state>/generations/8.tmp             being staged
//	<state>/packs/7                       the bytes of all its files, for confit alone: what it is mended from
//	<state>/targets.json                  the links that confit made, to be pruned after a crash
//	<state>/accepted.json                 the accepted and the earlier generation, to go back to after a crash
//	<state>/trial.json                    a generation is being proved, for a kill to count
//	<state>/lock                          locked as long as confit runs
//	<state>/status.json                   what package supervisor tells, to be read by anybody
//	/etc/nginx/nginx.conf                 -> <state>/live/web/nginx.conf
//	/etc/nginx/.confit-kept-nginx.conf    what stood there before
//	/etc/nginx/.confit-replaced-nginx.conf  the newest that an app wrote in the link's place
//
// What the kubelet does to a volume, and every assumption made about it here,
// is in pkg/volume/util/atomic_writer.go of k8s.io/kubernetes: the payload is
// written to a new directory ..TIMESTAMP, the link ..data is renamed to point
// at it, visible links of new keys are made and those of removed keys deleted
// after that, and the old directory is removed last, about a millisecond later.
package linker
