// Package linker knows files: links, volumes, generations, and the moment when a volume was
// swapped.
//
// It guarantees that
//   - a generation is a complete copy of every linked key, read from one state of each volume;
//   - all targets change over to a generation in one rename(2);
//   - no error holds a value of a key.
//
// It does not know who reads the files, nor what a generation is to anybody, and it never decides
// whether or when: package supervisor calls [Linker.Stage], [Linker.Publish], and then either
// [Linker.WriteNote], which writes down what is accepted for the next confit on the state
// directory, or [Linker.GoBack]. [Linker.Collect] removes the generations that nobody can go back
// to.
//
// It puts together what the packages below it know, and guarantees what they do. Of its own files
// bake and explain have what main calls, try has what package supervisor/try calls, and api what a
// caller needs of those packages as it is.
//
// What the kubelet does to a volume, and every assumption made about it here, is in
// pkg/volume/util/atomic_writer.go of k8s.io/kubernetes. It writes the payload to a new directory
// ..TIMESTAMP and renames the link ..data to point at it. After that it makes visible links for new
// keys, deletes those of removed keys and, about a millisecond later, removes the old directory.
package linker
