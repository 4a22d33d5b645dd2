package check

import (
	"errors"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/pods"
)

// Label is the only one of a copy. With it a NetworkPolicy can hold copies, and people find them.
const Label = "confit/check"

// A copy's own state directory, in memory.
const (
	stateDir    = "/.confit-check"
	stateVolume = "confit-check-state"
	stateLimit  = "64Mi"
)

// appArmor begins the annotations that say a container's profile where the security context doesn't.
const appArmor = corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix

// Options are what a copy's pod doesn't say.
type Options struct {
	Name    string // of the copy
	Seconds int64  // after which the kubelet ends it
}

// Copy is a pod that tries what comes on its stdin as a container of pod would take it, and ends. The error says all that a
// copy lacks which the container's volumes of keys need.
//
// It takes from the pod only what is named here, so what a later Kubernetes adds to pods isn't taken: the container with its
// image, environment, resources and security context; the init containers that bring confit; and of the pod what decides
// where it can run (node selector, node affinity, tolerations, runtime class) and as what (security context, names of hosts,
// pull secrets). It leaves out what others see or count: labels, owners, ports, probes, hooks, priority, affinity to other
// pods; and what it could do harm with: the service account, claims, the node's files, network and processes.
func Copy(pod *corev1.Pod, c *pods.Container, o Options) (*corev1.Pod, error) {
	spec := containerOf(pod, c.Name)
	if spec == nil {
		return nil, errors.New("it is a sidecar of initContainers: only containers are tried in a copy")
	}
	v := volumesOf(pod)
	if lacks := v.lacks(spec, c.Volumes); len(lacks) > 0 {
		return nil, errors.Join(lacks...)
	}
	main := v.container(pod, spec)
	main.Command = command(c, spec)
	main.Stdin, main.StdinOnce = true, true
	main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: stateVolume, MountPath: stateDir})
	inits := v.bringers(pod, spec)
	copied := &corev1.Pod{ObjectMeta: metaOf(pod, spec, o), Spec: place(pod)}
	copied.Spec.Containers, copied.Spec.InitContainers = []corev1.Container{main}, inits
	copied.Spec.Volumes = append(v.used(append(inits, main)), inMemory(stateVolume, stateLimit))
	copied.Spec.RestartPolicy = corev1.RestartPolicyNever
	copied.Spec.ActiveDeadlineSeconds = &o.Seconds
	copied.Spec.TerminationGracePeriodSeconds = new(int64(1)) // with 0 the API would forget it before it has ended
	copied.Spec.AutomountServiceAccountToken = new(false)
	return copied, nil
}

func containerOf(pod *corev1.Pod, name string) *corev1.Container {
	i := slices.IndexFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &pod.Spec.Containers[i]
}

// metaOf is the metadata of a copy. The name isn't the server's choice, so that a copy can be deleted whose creation was never answered.
func metaOf(pod *corev1.Pod, spec *corev1.Container, o Options) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: o.Name, Namespace: pod.Namespace, Labels: map[string]string{Label: "true"}, Annotations: map[string]string{}}
	m.Annotations["confit/check-of"] = pod.Name
	if profile, has := pod.Annotations[appArmor+spec.Name]; has {
		m.Annotations[appArmor+spec.Name] = profile
	}
	return m
}

// place is where a copy runs, and as what.
func place(pod *corev1.Pod) corev1.PodSpec {
	s := pod.Spec.DeepCopy()
	place := corev1.PodSpec{
		NodeSelector: s.NodeSelector, Tolerations: s.Tolerations, RuntimeClassName: s.RuntimeClassName, SchedulerName: s.SchedulerName, OS: s.OS,
		SecurityContext: s.SecurityContext, HostUsers: s.HostUsers, ImagePullSecrets: s.ImagePullSecrets,
		DNSPolicy: s.DNSPolicy, DNSConfig: s.DNSConfig, HostAliases: s.HostAliases, Hostname: s.Hostname, EnableServiceLinks: s.EnableServiceLinks,
	}
	if s.Affinity != nil && s.Affinity.NodeAffinity != nil {
		place.Affinity = &corev1.Affinity{NodeAffinity: s.Affinity.NodeAffinity}
	}
	return place
}

// command is confit with PID 1's own flags, but with a state of its own, of several --state the last counts.
func command(c *pods.Container, spec *corev1.Container) []string {
	words := doubled(c.Words) // they are as confit gets them, and the kubelet expands a command
	if c.Known {
		words = spec.Command[:1]
	}
	words = slices.Concat(words, c.Flags, []string{"--state", stateDir, "--try", "-"})
	if len(c.App) > 0 {
		words = slices.Concat(words, []string{"--"}, c.App)
	}
	return words
}

func doubled(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = strings.ReplaceAll(w, "$", "$$")
	}
	return list
}

// bringers are the init containers that bring confit, copy a directory of the image, or make links, in a volume of the container.
func (v *volumes) bringers(pod *corev1.Pod, spec *corev1.Container) (list []corev1.Container) {
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		words := slices.Concat(c.Command, c.Args)
		if c.RestartPolicy != nil || len(words) == 0 || path.Base(words[0]) != "confit" || !slices.ContainsFunc(words, brings) {
			continue
		}
		fills := func(m corev1.VolumeMount) bool {
			return !m.ReadOnly && slices.ContainsFunc(spec.VolumeMounts, func(own corev1.VolumeMount) bool { return own.Name == m.Name })
		}
		if slices.ContainsFunc(c.VolumeMounts, fills) {
			kept := v.container(pod, c)
			kept.Command, kept.Args = c.Command, c.Args
			list = append(list, kept)
		}
	}
	return list
}

func brings(word string) bool {
	flag, _, _ := strings.Cut(word, "=")
	return flag == "--install" || flag == "--seed" || flag == "--bake"
}
