// Package inject rewrites a pod on paper, just as the admission policy of examples/inject does when a pod is created: each
// file that a container mounts out of a ConfigMap or Secret by subPath becomes a line of CONFIT_LINES, and confit the
// container's PID 1.
//
// It guarantees that all of a pod or nothing is rewritten, that the same pod becomes the same each time, and that nothing
// changes but what confit needs. It reads and writes nodes of YAML, and does nothing else: it knows no file, no flag and no
// registry.
//
//   - pod.go reads a pod, follow.go says which mounts confit follows, and why others stay as they are.
//   - plan.go decides, write.go puts the decision into the nodes, parts.go makes what is added.
//   - again.go brings up to date what was rewritten before.
//   - late.go says where a grace period is too short.
package inject
