package pods

import (
	"cmp"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// What confit has where nobody says otherwise.
const (
	program    = "confit"
	volumesDir = "/confit"
)

// ExecAnnotation of a pod says by which words confit is called in its containers; NAME.confit/exec says it for one.
const ExecAnnotation = "confit/exec"

// Container is one whose spec says that confit is in it.
type Container struct {
	Name    string
	Words   []string // by which confit is called: confit, or /.confit/confit
	Known   bool     // the spec has confit's own command line: Flags and App are known. Else they are the image's
	Flags   []string // PID 1's, without the --; as the spec writes them, so the kubelet expands $(NAME)
	App     []string // the words behind them
	Volumes string   // the directory of volumes
	State   string   // the state directory, if flags or environment say it; else ""
	Mounts  []Mount  // of ConfigMaps and Secrets, in the order of the spec

	env   map[string]string // variables whose values the spec has
	where []string          // flags that lead to PID 1's state
}

// Containers are those of a pod that have confit: its command is confit, or a mount is at or below /confit, or the
// annotation says so. Sidecars of initContainers are among them, other init containers aren't.
func Containers(pod *corev1.Pod) (list []Container) {
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			list = appendConfit(list, pod, c)
		}
	}
	for i := range pod.Spec.Containers {
		list = appendConfit(list, pod, &pod.Spec.Containers[i])
	}
	return list
}

func appendConfit(list []Container, pod *corev1.Pod, spec *corev1.Container) []Container {
	if c, confit := read(pod, spec); confit {
		list = append(list, c)
	}
	return list
}

// read reads the spec of a container, and says whether that has confit.
func read(pod *corev1.Pod, spec *corev1.Container) (c Container, confit bool) {
	c = Container{Name: spec.Name, Words: annotated(pod, spec.Name), Mounts: mountsOf(&pod.Spec, spec), env: literals(spec)}
	c.Volumes, c.State = cmp.Or(c.env[volumeVariable], volumesDir), c.env[stateVariable]
	line := commandLine(spec)
	switch {
	case line != nil && !c.readLine(line[1:]):
		return c, false // it does something else, such as --status of another container
	case len(c.Words) > 0:
	case line != nil:
		c.Words = c.Expand(line[:1])
	case slices.ContainsFunc(spec.VolumeMounts, belowConfit):
		c.Words = []string{program}
	}
	return c, len(c.Words) > 0
}

// annotated are the words of the annotation for a container.
func annotated(pod *corev1.Pod, name string) []string {
	text, own := pod.Annotations[name+"."+ExecAnnotation]
	if !own {
		text = pod.Annotations[ExecAnnotation]
	}
	return strings.Fields(text)
}

func belowConfit(m corev1.VolumeMount) bool {
	p := path.Clean(m.MountPath)
	return p == volumesDir || strings.HasPrefix(p, volumesDir+"/")
}

// commandLine is that of the spec if it begins with confit; nil if it doesn't.
func commandLine(spec *corev1.Container) []string {
	if len(spec.Command) == 0 || path.Base(spec.Command[0]) != program {
		return nil
	}
	return slices.Concat(spec.Command, spec.Args)
}

// Call is the command line that runs confit in the container beside PID 1, with these flags behind those that say where
// PID 1's state is.
func (c *Container) Call(flags ...string) []string {
	return slices.Concat(c.Words, c.where, flags)
}

// serviceAccount is where each container has its token and the certificates of the API server: nobody's configuration.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// Objects are those that the container mounts so that the kubelet changes them, each once.
func (c *Container) Objects() (list []Object) {
	for _, m := range c.Mounts {
		for _, s := range m.Sources {
			if !m.SubPath && m.Path != serviceAccount && !slices.Contains(list, s.Object) {
				list = append(list, s.Object)
			}
		}
	}
	return list
}
