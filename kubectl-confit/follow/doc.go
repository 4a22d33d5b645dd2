// Package follow brings cluster, pods and verdict together: it asks containers about objects, once or until there is a
// verdict.
//
// It guarantees that a verdict is of now, as everybody is asked once more before it, that pods are watched and not polled, and that each
// container is asked less and less often as long as nothing happens.
package follow
