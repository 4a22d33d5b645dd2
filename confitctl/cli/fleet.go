package cli

import (
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/life"
	"confit/confitctl/program"
	"confit/confitctl/rollout"
)

// fleetFlags is who asks, and where the record is.
type fleetFlags struct {
	lease, namespace, kubeconfig string
	revision                     string
	podUID, pod, container       string
}

func (f *fleetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.lease, "lease", "", "the Lease that holds the rollout, by `NAME`; required")
	flags.StringVar(&f.namespace, "namespace", "", "`NAME` of the Lease's namespace (the pod's own)")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "`FILE` for a person; a pod uses its service account")
	flags.StringVar(&f.revision, "revision", "", "`NAME` of the image and pod template, such as the label pod-template-hash, controller-revision-hash or rollouts-pod-template-hash; required in a hook")
	flags.StringVar(&f.podUID, "pod-uid", "", "the pod's `UID`; required in a hook")
	flags.StringVar(&f.pod, "pod", "", "`NAME` of the pod, for people (the host's name)")
	flags.StringVar(&f.container, "container", "", "`NAME` of the container, if several in the pod run confit")
}

// open makes the client for the Lease.
func (f *fleetFlags) open() (*lease.Store, error) {
	c, err := f.cluster()
	if err != nil {
		return nil, err
	}
	return lease.Open(c, f.lease)
}

func (f *fleetFlags) cluster() (kube.Cluster, error) {
	if f.lease == "" {
		return kube.Cluster{}, program.Wrong("--lease is missing: write --lease NAME, of the Lease that holds the rollout, or set %sLEASE", envPrefix)
	}
	if err := kube.CheckName(f.lease); err != nil {
		return kube.Cluster{}, program.Wrong("--lease: %w", err)
	}
	if err := kube.CheckName(f.namespace); f.namespace != "" && err != nil {
		return kube.Cluster{}, program.Wrong("--namespace: %w", err)
	}
	return kube.Find(f.kubeconfig, f.namespace)
}

// hash is what confit calls a configuration.
var hash = regexp.MustCompile(`^[0-9a-f]{1,64}$`)

// maxName bounds what goes into the record: a label's value, or a UID.
const maxName = 63

// replica is who asks, from the flags and from what confit tells its hooks.
func (f *fleetFlags) replica() (rollout.Replica, error) {
	me := rollout.Replica{
		Revision: f.revision, Pod: f.podUID, PodName: f.pod, Container: f.container,
		Hash: os.Getenv("CONFIT_HASH"), Accepted: os.Getenv("CONFIT_ACCEPTED"), Starting: os.Getenv("CONFIT_STARTING") == "1",
		Life: life.Now("/proc"),
	}
	if me.PodName == "" {
		me.PodName, _ = os.Hostname()
	}
	switch {
	case !hash.MatchString(me.Hash):
		return me, program.Wrong("CONFIT_HASH is %q, no hash: confit runs this as a hook, and sets it", me.Hash)
	case me.Pod == "":
		return me, program.Wrong("--pod-uid is required: set %sPOD_UID by the downward API", envPrefix)
	case me.Revision == "":
		return me, program.Wrong("--revision is required: set %sREVISION by the downward API to a label that changes with image and pod template, "+
			"pod-template-hash of a Deployment, controller-revision-hash of a StatefulSet or DaemonSet, "+
			"rollouts-pod-template-hash of an Argo Rollout", envPrefix)
	case max(len(me.Revision), len(me.Pod), len(me.Container)) > maxName:
		return me, program.Wrong("--revision, --pod-uid and --container may have %d characters each: write shorter ones", maxName)
	}
	return me, nil
}

// maxBound is a day. So long the fleet waits for a canary that is lost, and so
// long nobody fixes what it waits for: a longer bound is rather a mistake. To cut
// it would give a place away whose holder still proves the change.
const maxBound = 24 * time.Hour

// bound is how long confit may take from the gate's exit, or from a relapse, to its next
// report.
func bound() (time.Duration, error) {
	text := os.Getenv("CONFIT_BOUND")
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(seconds > 0):
		return 0, program.Wrong("CONFIT_BOUND is %q, not a number of seconds: confit runs this as a hook, and sets it", text)
	case seconds > maxBound.Seconds():
		return 0, program.Wrong("CONFIT_BOUND is %s seconds, and the fleet waits a day at most for a replica that is lost: "+
			"shorten confit's --probation or --verify-timeout, which count twice", text)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// required names a variable that confit sets for its hooks.
func required(name string) (string, error) {
	value := os.Getenv(name)
	if value == "" {
		return "", program.Wrong("%s isn't set: confit runs this as a hook, and sets it", name)
	}
	return value, nil
}
