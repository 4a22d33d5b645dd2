// Package util is the part of the kubelet that writes ConfigMap and Secret volumes, copied from k8s.io/kubernetes v1.36.3, so that no test
// has to build all of Kubernetes:
//
//   - atomic_writer.go and atomic_writer_linux.go are those of pkg/volume/util, byte for byte.
//   - ownership.go holds those declarations of pkg/volume/volume_linux.go that change the owner of a volume, each byte for byte.
//   - LICENSE is that of Kubernetes, Apache 2.0.
//
// Nothing here is edited. TestUpstream of integration/volume, which make check runs, compares all of this with the module of that version.
package util
