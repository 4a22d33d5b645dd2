// Package integration has nothing but folders. They test confit from outside, by what it is: a program in a container.
//
// What runs the real confit, and is itself tested by make test and make check:
//
//	confit         confit as PID 1, on volumes of the kubelet's own writer: what it promises, and what goes wrong
//	daemons        the same below the daemons that containers run
//	hints          what messages say is to be written, done: the message is gone
//	watchers       apps that watch their files by themselves
//	examples       what is in examples/, and the commands of all pages
//	storm          faults at random, and a reader that watches
//	conformance    the same questions put to confit and to other inits: make conformance
//	fleet          replicas with confitctl on a real API server: make fleet
//	inject         the policies that put confit into pods, on a real API server: make fleet
//	rbac           what people may do with the rights of examples/kubectl, on a real API server: make fleet
//	diagrams       the diagrams of all pages, drawn in a browser
//
// Programs that do the same and print what they see:
//
//	demo           the README's first screen: make demo
//	bench          the budgets, each beside a yardstick: make bench
//	e2e            a real Kubernetes node: make e2e
//	environments   container runtimes, kernels and file systems: make environments
//
// What tests stand on, those of other packages, too:
//
//	internal       the harness that starts a container and watches it, and the API server of examples
//	cluster        a real API server with its etcd
//	kubelet        the kubelet's own writer of volumes, as a program
//	volume         the same in this project's code, for tests that start no other program
//	markdown       reads the pages
//	answers        holds what programs answer to mistakes
//	testenv        gives tests the same signals, limits and environment on every machine
//	testfs         file systems and kernels that refuse or fail
//	charts         the version of helm that examples are tested with
package integration
