// Package follow brings cluster, pods and verdict together: it asks containers about objects, once or until there is a
// verdict.
//
// It guarantees that who is done isn't asked again, that pods are watched and not polled, and that each other container is asked
// less and less often as long as nothing happens.
package follow
