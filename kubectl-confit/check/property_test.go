package check

import (
	"flag"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/randfill"

	"confit/kubectl-confit/pods"
)

var (
	seed  = flag.Int64("seed", 0, "play this pod alone")
	lives = flag.Int("lives", 300, "how many pods are copied")
)

// TestRandomPods: pods that have each field there is keep in a copy what is decided to be kept, and no more.
func TestRandomPods(t *testing.T) {
	t.Parallel()
	if *seed != 0 {
		copyOf(t, *seed)
		return
	}
	from := time.Now().UnixNano()
	for i := range int64(*lives) {
		copyOf(t, from+i)
	}
}

func copyOf(t *testing.T, seed int64) {
	t.Helper()
	pod := fill(seed)
	v := volumesOf(pod)
	c := pods.Container{Name: pod.Spec.Containers[0].Name, Words: []string{"confit"}, Volumes: "/confit"}
	copied, err := Copy(pod, &c, options)
	if err != nil {
		t.Fatalf("-seed %d: %v", seed, err)
	}
	for _, bad := range wrong(copied, v) {
		t.Errorf("-seed %d: the copy has %s", seed, bad)
	}
}

// fill is a pod at random. Its containers mount its volumes, nothing of them below /confit.
func fill(seed int64) *corev1.Pod {
	pod := &corev1.Pod{}
	filler := randfill.New().RandSource(rand.NewSource(seed)).NilChance(0.2).NumElements(1, 4).MaxDepth(12).Funcs(
		func(q *resource.Quantity, _ randfill.Continue) { *q = resource.MustParse("1") },
		func(m *corev1.VolumeMount, c randfill.Continue) {
			m.Name, m.MountPath, m.SubPath = letter(c), "/mnt/"+letter(c), []string{"", "sub"}[c.Intn(2)]
		},
		func(v *corev1.VolumeSource, c randfill.Continue) { oneKind(v, c) },
	)
	for len(pod.Spec.Containers) == 0 {
		filler.Fill(pod)
	}
	for i := range pod.Spec.Volumes {
		pod.Spec.Volumes[i].Name = string(rune('a' + i))
	}
	return pod
}

func letter(c randfill.Continue) string { return string(rune('a' + c.Intn(5))) }

// oneKind fills one field of a volume's source.
func oneKind(v *corev1.VolumeSource, c randfill.Continue) {
	fields := reflect.ValueOf(v).Elem()
	field := fields.Field(c.Intn(fields.NumField()))
	field.Set(reflect.New(field.Type().Elem()))
	if v.Projected != nil {
		v.Projected.Sources = make([]corev1.VolumeProjection, 1+c.Intn(3))
		for i := range v.Projected.Sources {
			s := reflect.ValueOf(&v.Projected.Sources[i]).Elem()
			one := s.Field(c.Intn(s.NumField()))
			one.Set(reflect.New(one.Type().Elem()))
		}
	}
}

// allowed are the fields of a copy that are taken from the pod, or set.
var (
	allowedSpec = []string{
		"Volumes", "InitContainers", "Containers", "RestartPolicy", "TerminationGracePeriodSeconds", "ActiveDeadlineSeconds", "DNSPolicy",
		"NodeSelector", "AutomountServiceAccountToken", "SecurityContext", "ImagePullSecrets", "Hostname", "Affinity", "SchedulerName", "Tolerations",
		"HostAliases", "DNSConfig", "RuntimeClassName", "EnableServiceLinks", "OS", "HostUsers",
	}
	allowedContainer = []string{
		"Name", "Image", "Command", "Args", "WorkingDir", "EnvFrom", "Env", "Resources", "VolumeMounts", "ImagePullPolicy", "SecurityContext", "Stdin", "StdinOnce",
	}
	allowedMeta = []string{"Name", "Namespace", "Labels", "Annotations"}
)

// wrong is what a copy has and should not.
func wrong(pod *corev1.Pod, v *volumes) (list []string) {
	list = slices.Concat(others(pod.Spec, allowedSpec), others(pod.ObjectMeta, allowedMeta), others(pod.Status, nil))
	s := pod.Spec
	for _, c := range append(s.InitContainers, s.Containers...) {
		list = append(list, others(c, allowedContainer)...)
		if c.Resources.Claims != nil {
			list = append(list, "claims")
		}
	}
	if a := s.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		list = append(list, "affinity to pods")
	}
	if len(s.Containers) != 1 || len(pod.Labels) != 1 || *s.AutomountServiceAccountToken || s.RestartPolicy != corev1.RestartPolicyNever || *s.ActiveDeadlineSeconds != 120 {
		list = append(list, "something else than is decided")
	}
	return append(list, wrongVolumes(s, v)...)
}

func wrongVolumes(s corev1.PodSpec, v *volumes) (list []string) {
	var there []string
	for _, volume := range s.Volumes {
		there = append(there, volume.Name)
		for _, kind := range others(volume.VolumeSource, []string{"ConfigMap", "Secret", "DownwardAPI", "Image", "EmptyDir", "Projected"}) {
			list = append(list, "a volume: "+kind)
		}
		if p := volume.Projected; p != nil && slices.ContainsFunc(p.Sources, func(s corev1.VolumeProjection) bool {
			return s.ServiceAccountToken != nil || s.PodCertificate != nil
		}) {
			list = append(list, "a token")
		}
	}
	for _, m := range s.Containers[0].VolumeMounts {
		if !slices.Contains(there, m.Name) {
			list = append(list, "a mount without a volume: "+m.Name)
		}
		if v.fates[m.Name] == empty && m.SubPath != "" {
			list = append(list, "a directory where a file may have been: "+m.MountPath)
		}
	}
	return list
}

// others are the fields that aren't zero, and aren't among those.
func others(object any, allowed []string) (list []string) {
	v := reflect.ValueOf(object)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		zero := v.Field(i).IsZero() || ((f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map) && v.Field(i).Len() == 0)
		if !zero && !slices.Contains(allowed, f.Name) {
			list = append(list, strings.TrimPrefix(v.Type().String(), "v1.")+"."+f.Name)
		}
	}
	return list
}
