package pods

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/status"
)

// Kinds of objects that hold keys.
const (
	ConfigMap = "ConfigMap"
	Secret    = "Secret"
)

// Object names a ConfigMap or Secret of the pod's namespace.
type Object struct {
	Kind string // ConfigMap or Secret
	Name string
}

// String is the object as kubectl writes it: configmap/web.
func (o Object) String() string { return strings.ToLower(o.Kind) + "/" + o.Name }

// Data is what an object holds, without the values.
type Data struct {
	Object
	UID             string
	ResourceVersion string
	Immutable       bool                  // its kubelets don't look for changes
	Sums            map[string]status.Sum // key → SHA-256 of its bytes
}

// DataOf is what a ConfigMap or Secret holds, keys of binaryData among it.
func DataOf(u *unstructured.Unstructured) (*Data, error) {
	keys, err := Bytes(u)
	immutable, _, _ := unstructured.NestedBool(u.Object, "immutable")
	d := &Data{Object{u.GetKind(), u.GetName()}, string(u.GetUID()), u.GetResourceVersion(), immutable, make(map[string]status.Sum, len(keys))}
	for key, bytes := range keys {
		d.Sums[key] = Sum(bytes)
	}
	return d, err
}

// Bytes are those of each key of a ConfigMap or Secret, as the kubelet writes them. Of one in a file stringData goes before data,
// as the API server has it. The error may have a value.
func Bytes(u *unstructured.Unstructured) (all map[string][]byte, err error) {
	var c corev1.ConfigMap
	var s corev1.Secret
	if all = map[string][]byte{}; u.GetKind() == Secret {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &s)
	} else {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &c)
	}
	maps.Copy(all, s.Data)
	maps.Copy(all, c.BinaryData)
	for _, texts := range []map[string]string{s.StringData, c.Data} {
		for key, text := range texts {
			all[key] = []byte(text)
		}
	}
	return all, err
}

// Sum is the SHA-256 of bytes, as a status writes it.
func Sum(bytes []byte) status.Sum {
	sum := sha256.Sum256(bytes)
	return status.Sum(hex.EncodeToString(sum[:]))
}
