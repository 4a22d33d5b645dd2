// Package manifest reads files of Kubernetes manifests, finds the pods in them, and writes them again.
//
// It guarantees that a document in which nothing was changed is written byte for byte, and that of a changed one the lines
// stay that had no need to change, with their comments and blanks. It knows YAML and JSON, many documents, and lists.
package manifest

import (
	"cmp"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"confit/kubectl-confit/tree"
)

// File is a stream of documents.
type File struct{ Documents []*Document }

// Pod is a pod or a pod template in a document.
type Pod struct {
	Kind, Name string    // of the object that it is, or is of
	Path       tree.Path // to what holds metadata and spec
	Unknown    bool      // nobody knows what its kind makes of it
}

// Read reads a stream. The error joins one of type *Error for each document that can't be read.
func Read(stream []byte) (*File, error) {
	f := &File{}
	var errs []error
	for _, c := range split(string(stream)) {
		parts, isJSON := splitJSON(c)
		if !isJSON {
			parts = []chunk{c}
		}
		for _, part := range parts {
			d := &Document{chunk: part, isJSON: isJSON && part.text != ""}
			errs = append(errs, d.read())
			f.Documents = append(f.Documents, d)
		}
	}
	return f, errors.Join(errs...)
}

// Bytes writes the stream.
func (f *File) Bytes() ([]byte, error) {
	var out strings.Builder
	var errs []error
	for _, d := range f.Documents {
		text, err := d.print()
		out.WriteString(text)
		errs = append(errs, err)
	}
	return []byte(out.String()), errors.Join(errs...)
}

// Pods finds them, in their order.
func (d *Document) Pods() []Pod {
	if d.Root == nil {
		return nil
	}
	return pods(d.Root)
}

// kinds lead from an object to its pod, by API group and kind.
var kinds = map[string]tree.Path{
	"/Pod":                   {},
	"/PodTemplate":           {"template"},
	"/ReplicationController": {"spec", "template"},
	"argoproj.io/Rollout":    {"spec", "template"},
	"apps/Deployment":        {"spec", "template"},
	"apps/StatefulSet":       {"spec", "template"},
	"apps/DaemonSet":         {"spec", "template"},
	"apps/ReplicaSet":        {"spec", "template"},
	"batch/Job":              {"spec", "template"},
	"batch/CronJob":          {"spec", "jobTemplate", "spec", "template"},
}

func pods(document *yaml.Node) []Pod { return podsOf(document.Content[0], "", "", nil) }

// podsOf finds those of an object. The items of a list may leave its group and kind unsaid.
func podsOf(object *yaml.Node, group, kind string, path tree.Path) (list []Pod) {
	if version := text(object, "apiVersion"); version != "" {
		group = "" // v1
		if before, _, found := strings.Cut(version, "/"); found {
			group = before
		}
	}
	kind = cmp.Or(text(object, "kind"), kind)
	if of, is := strings.CutSuffix(kind, "List"); is {
		for i, item := range tree.Items(tree.At(object, "items")) {
			list = append(list, podsOf(item, group, of, path.With("items", i))...)
		}
		return list
	}
	to, known := kinds[group+"/"+kind]
	if !known {
		to = tree.Path{"spec", "template"}
	}
	if known && tree.At(object, to.With("spec")...) != nil || tree.At(object, to.With("spec", "containers")...) != nil {
		list = append(list, Pod{kind, text(object, "metadata", "name"), path.With(to...), !known})
	}
	return list
}

func text(n *yaml.Node, steps ...any) string {
	if found := tree.At(n, steps...); found != nil {
		return found.Value
	}
	return ""
}
