// Package pods reads what the spec of a pod says about confit: which containers have it, how it is called there, and which
// keys of ConfigMaps and Secrets the kubelet brings to which directory.
//
// It guarantees that a container counts as one with confit only if the spec itself says so. Who can write the spec can
// run anything in the pod anyway, so nobody else decides what is executed there.
//
// It asks nobody: no API server, no pod, no clock. It keeps no value of a key.
package pods
