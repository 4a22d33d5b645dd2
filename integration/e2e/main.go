// Command e2e runs confit on a real Kubernetes node and checks what the pages say about it. The kubelet swaps the volumes, and
// everything that is checked is seen from outside, as a page, a log line, an exit code or a pod's status. The manifests, commands,
// Dockerfiles and links files of docs/kubernetes.md and the examples are used as they stand: images that are made here have the
// names of those that they stand for.
//
//	go run ./integration/e2e [-programs] [-hold] [-only SCENE] [-rounds N]
//
// It needs root on Debian and what scripts/install-deps installs: runc, podman, mmdebstrap, iproute2. The programs of Kubernetes and
// containerd are built from the modules in kubernetes/ and containerd/; etcd and the CNI plugins are taken out of Debian's packages
// and not installed.
// No image comes from a registry: the base images are made here.
//
// All that runs is in namespaces of its own (mounts, processes, network, host name) and ends with them, however e2e ends; the
// network and the sysctls of the machine aren't touched. What was built is kept in the user's cache directory, or in the
// directory that E2E_CACHE names, so that only the first run is slow.
//
// The program plays three parts, each a process of its own, known by the name that it is started under:
//
//	e2e        builds, makes the namespaces, waits, tidies up           prepare.go, programs.go, isolate.go, cgroup.go
//	e2e-init   PID 1 of the node: reaps, and is what ends it            isolate.go
//	e2e-node   makes the images, starts the daemons, shows the scenes   images.go, node.go, daemon.go, config.go, scenes.go
//
// scenes.go lists what is shown, each in a namespace of Kubernetes, its stage. The scenes are in scene_*.go, and what they apply in
// manifests/; page.go reads the page. A scene acts through stage.go, kubectl.go and api.go, and looks through seen.go, process.go
// and evidence.go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

const (
	initRole = "e2e-init"
	nodeRole = "e2e-node"
)

// settings are what the parts of the program pass to each other.
type settings struct {
	Source string // confit's source
	Cache  string // what is kept from run to run
	Rounds int    // how many edits are measured each way
	GoRoot string
	Hold   bool
	Only   string // the one scene that is shown; all, if empty
}

func main() {
	os.Exit(harness.ExitCode("e2e", run(os.Args)))
}

func run(args []string) error {
	var s settings
	switch args[0] {
	case initRole, nodeRole:
		if err := json.Unmarshal([]byte(args[1]), &s); err != nil {
			return err
		}
		if args[0] == initRole {
			return beInit(args[1])
		}
		return beNode(context.Background(), s)
	}
	programs := flag.Bool("programs", false, "make the programs of Kubernetes ready, and no more")
	flag.BoolVar(&s.Hold, "hold", false, "keep the node after the last step, until ^C")
	flag.StringVar(&s.Only, "only", "", "show this `scene` alone")
	flag.IntVar(&s.Rounds, "rounds", 12, "how many edits are measured each way")
	flag.Parse()
	known := slices.ContainsFunc(scenes, func(each scene) bool { return s.Only == "" || s.Only == each.name })
	if flag.NArg() > 0 || s.Rounds < 1 || !known {
		return errors.New("write: e2e [-programs] [-hold] [-only SCENE] [-rounds N], SCENE as in scenes.go, N at least 1")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if *programs {
		return s.makePrograms(ctx)
	}
	return outside(ctx, s)
}

// outside is the part that sees the machine.
func outside(ctx context.Context, s settings) (err error) {
	if err := s.find(ctx); err != nil {
		return err
	}
	release, err := lock()
	if err != nil {
		return err
	}
	defer release()
	defer s.note("all steps", time.Now(), &err)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	tidy, err := s.room()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tidy()) }()
	return s.isolate(ctx)
}

// note says how long something took, unless it failed.
func (s settings) note(what string, begin time.Time, err *error) {
	if *err == nil {
		fmt.Printf("-- %s: %.1f s\n", what, time.Since(begin).Seconds())
	}
}
