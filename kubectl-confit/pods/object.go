package pods

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

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

// OfConfigMap is what a ConfigMap holds, keys of binaryData among it.
func OfConfigMap(c *corev1.ConfigMap) *Data {
	return dataOf(Object{ConfigMap, c.Name}, c, c.Immutable, ConfigMapBytes(c))
}

// OfSecret is what a Secret holds.
func OfSecret(s *corev1.Secret) *Data {
	return dataOf(Object{Secret, s.Name}, s, s.Immutable, s.Data)
}

// ConfigMapBytes are the bytes of each key, as the kubelet writes them.
func ConfigMapBytes(c *corev1.ConfigMap) map[string][]byte {
	all := make(map[string][]byte, len(c.Data)+len(c.BinaryData))
	for key, text := range c.Data {
		all[key] = []byte(text)
	}
	for key, bytes := range c.BinaryData {
		all[key] = bytes
	}
	return all
}

type identified interface {
	GetUID() types.UID
	GetResourceVersion() string
}

func dataOf(o Object, meta identified, immutable *bool, keys map[string][]byte) *Data {
	d := &Data{Object: o, UID: string(meta.GetUID()), ResourceVersion: meta.GetResourceVersion(), Immutable: immutable != nil && *immutable,
		Sums: make(map[string]status.Sum, len(keys))}
	for key, bytes := range keys {
		d.Sums[key] = Sum(bytes)
	}
	return d
}

// Sum is the SHA-256 of bytes, as a status writes it.
func Sum(bytes []byte) status.Sum {
	sum := sha256.Sum256(bytes)
	return status.Sum(hex.EncodeToString(sum[:]))
}
