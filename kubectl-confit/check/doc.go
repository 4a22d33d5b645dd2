// Package check tries a configuration before anybody applies it: with confit's own --try, in a copy of a pod or in one that
// runs.
//
// It guarantees that the new bytes stand in no argument and in no object of the API; that a copy can do less than the pod that
// it copies: it has no claims, no token, no labels that others select, and nothing but confit runs in it; that a copy is deleted
// at each end, and ends by itself if even that fails; and that what is printed holds no value of a Secret that was given.
//
//   - copy.go makes the copy of a pod, volumes.go and container.go decide what it has of it: pure functions.
//   - trial.go says what is to be tried where, payload.go makes what --try reads, mask.go hides values.
//   - run.go carries a trial out.
package check
