// Package verdict says what became of a configuration in a container: from what the API has, from what the kubelet makes
// of it in the pod's volumes, and from what confit says that it has mounted, made live, accepted and rejected.
//
// It guarantees that a container has accepted an object only if each key of it that the container's lines take is
// accepted with the bytes that the API has, and each other key of the volume is gone; and that it has rejected an object only if it
// has rejected just these keys.
//
// It is pure: the moment is an argument, and it asks nobody. All that it takes from a pod is foreign, and can't command a
// terminal when it is in a Row.
package verdict
