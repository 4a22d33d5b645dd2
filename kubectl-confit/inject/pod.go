package inject

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"confit/kubectl-confit/tree"
)

// Pod is a pod or a pod template, as its document has it.
type Pod struct {
	document    *yaml.Node
	path        tree.Path // to what holds metadata and spec
	spec        spec
	annotations map[string]string
}

// The part of a pod that decides.
type (
	spec struct {
		OS struct {
			Name string `yaml:"name"`
		} `yaml:"os"`
		HostPID        bool              `yaml:"hostPID"`
		Grace          *int64            `yaml:"terminationGracePeriodSeconds"`
		Affinity       affinity          `yaml:"affinity"`
		NodeSelector   map[string]string `yaml:"nodeSelector"`
		Volumes        []volume          `yaml:"volumes"`
		InitContainers []container       `yaml:"initContainers"`
		Containers     []container       `yaml:"containers"`
	}
	affinity struct {
		Node struct {
			Required struct {
				Terms []struct {
					Expressions []struct {
						Key      string   `yaml:"key"`
						Operator string   `yaml:"operator"`
						Values   []string `yaml:"values"`
					} `yaml:"matchExpressions"`
				} `yaml:"nodeSelectorTerms"`
			} `yaml:"requiredDuringSchedulingIgnoredDuringExecution"`
		} `yaml:"nodeAffinity"`
	}
	volume struct {
		Name      string    `yaml:"name"`
		ConfigMap *source   `yaml:"configMap"`
		Secret    *source   `yaml:"secret"`
		EmptyDir  *struct{} `yaml:"emptyDir"`
		Image     *struct{} `yaml:"image"`
		Projected *struct{} `yaml:"projected"`

		Others map[string]any `yaml:",inline"`
	}
	source struct {
		Optional bool `yaml:"optional"`
		Items    []struct {
			Path string `yaml:"path"`
		} `yaml:"items"`
	}
	container struct {
		Name            string     `yaml:"name"`
		Image           string     `yaml:"image"`
		Command         []string   `yaml:"command"`
		Args            []string   `yaml:"args"`
		Env             []variable `yaml:"env"`
		EnvFrom         []struct{} `yaml:"envFrom"`
		RestartPolicy   string     `yaml:"restartPolicy"` // of an init container
		MessagePath     string     `yaml:"terminationMessagePath"`
		Mounts          []mount    `yaml:"volumeMounts"`
		SecurityContext struct {
			ReadOnlyRoot bool `yaml:"readOnlyRootFilesystem"`
		} `yaml:"securityContext"`
	}
	variable struct {
		Name      string `yaml:"name"`
		Value     string `yaml:"value"`
		ValueFrom *struct {
			ConfigMap *struct{} `yaml:"configMapKeyRef"`
			Secret    *struct{} `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	mount struct {
		Name        string `yaml:"name"`
		MountPath   string `yaml:"mountPath"`
		SubPath     string `yaml:"subPath"`
		SubPathExpr string `yaml:"subPathExpr"`
		ReadOnly    bool   `yaml:"readOnly"`
	}
)

// Read reads the pod that a path leads to in a document. The error says in which line what has a type that no pod has.
func Read(document *yaml.Node, path tree.Path) (*Pod, error) {
	p := &Pod{document: document, path: path}
	var errs []error
	if n := p.at("spec"); n != nil {
		errs = append(errs, n.Decode(&p.spec))
	}
	if n := p.at("metadata", "annotations"); n != nil {
		errs = append(errs, n.Decode(&p.annotations))
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// at finds a node of the pod.
func (p *Pod) at(steps ...any) *yaml.Node {
	return tree.At(p.document.Content[0], p.path.With(steps...)...)
}

func (p *Pod) line(steps ...any) int {
	return tree.Line(p.document.Content[0], p.path.With(steps...)...)
}

// own is a node of the pod for writing, and ownList a sequence.
func (p *Pod) own(steps ...any) *yaml.Node { return tree.Own(p.document, p.path.With(steps...)) }

func (p *Pod) ownList(steps ...any) *yaml.Node {
	return tree.OwnList(p.document, p.path.With(steps...))
}

// volume finds a volume by its name, and where it stands; -1 if there is none.
func (p *Pod) volume(name string) (volume, int) {
	for i, v := range p.spec.Volumes {
		if v.Name == name {
			return v, i
		}
	}
	return volume{}, -1
}

// source is the ConfigMap or Secret of a volume, nil if it has none.
func (v volume) source() *source {
	if v.ConfigMap != nil {
		return v.ConfigMap
	}
	return v.Secret
}

// isScratch tells an emptyDir of the pod's own, which a volume that doesn't say what it is is, too.
func (v volume) isScratch() bool {
	others := slices.ContainsFunc(slices.Collect(maps.Values(v.Others)), func(o any) bool { return o != nil })
	if strings.HasPrefix(v.Name, "confit-seed-") {
		return false
	}
	return v.EmptyDir != nil || v.source() == nil && v.Projected == nil && v.Image == nil && !others && v.Name != ""
}

// kind is the key of the volume's source.
func (v volume) kind() string {
	if v.ConfigMap != nil {
		return "configMap"
	}
	return "secret"
}

// hasConfit tells a container that runs confit already, whoever wrote that.
func (c container) hasConfit() bool {
	if len(c.Command) > 0 && (c.Command[0] == "confit" || strings.HasSuffix(c.Command[0], "/confit")) {
		return true
	}
	for _, e := range c.Env {
		if e.Name == linesVariable || e.Name == "CONFIT_LINKS" {
			return true
		}
	}
	return false
}

// locked tells a container that may not write to its image, nor to what is copied out of it.
func (c container) locked() bool { return c.SecurityContext.ReadOnlyRoot }

// Option names of annotations: each is one line of CONFIT_LINES.
var options = []string{"validate", "reload", "stop-signal", "probation"}

// OptionNames are the names of annotations behind confit/, but for those that are no lines.
func OptionNames() []string { return slices.Clone(options) }

// option is the text of an annotation: the container's own, else the pod's.
func (p *Pod) option(c container, name string) string {
	if text, own := p.annotations[c.Name+".confit/"+name]; own {
		return text
	}
	return p.annotations["confit/"+name]
}

// words are those of the annotation that stands for a container's command: one a line.
func (p *Pod) words(c container) (words []string) {
	for w := range strings.SplitSeq(p.annotations[c.Name+".confit/command"], "\n") {
		if w != "" {
			words = append(words, w)
		}
	}
	return words
}
