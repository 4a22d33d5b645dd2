// Package cluster asks the API server, as kubectl does: by the same kubeconfig and flags, with the same names of kinds.
//
// It guarantees that each error is one line that says what was wanted, and which right is missing if one is; that nobody
// runs more than 16 commands in containers at once; and that of what a container prints no more is kept than was asked for.
// What a container prints is foreign: package cluster neither reads nor prints it.
//
// It decides nothing, and asks nothing twice: when to ask again is the caller's decision. Only a watch goes on by itself.
package cluster
