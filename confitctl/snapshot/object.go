package snapshot

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"

	"confit/confitctl/kube"
)

// maxSize is what the API server allows the values of an object to have in all:
// MaxSecretSize of Kubernetes' pkg/apis/core, which holds for ConfigMaps, too.
const maxSize = 1 << 20

// hashKey is the file that confit looks for in a fallback's volume: two words,
// the hash of the volume and that of the whole configuration.
const hashKey = ".confit-hash"

// Object is what holds a volume.
type Object struct {
	Volume string
	Secret bool // a Secret, else a ConfigMap
}

// name is that of the object of a fleet.
func (o Object) name(lease string) string { return lease + "-accepted-" + o.Volume }

// describe is the object for messages and requests.
func (o Object) describe(namespace, lease string) kube.Object {
	d := kube.Object{Resource: "configmaps", Kind: "configmap", Namespace: namespace, Name: o.name(lease)}
	if o.Secret {
		d.Resource, d.Kind = "secrets", "secret"
	}
	return d
}

// Check refuses an object whose name Kubernetes doesn't take.
func (o Object) Check(lease string) error {
	if err := kube.CheckName(o.name(lease)); err != nil {
		return fmt.Errorf("volume %q: %w", o.Volume, err)
	}
	return nil
}

// Fits says why an object can't hold a volume; nil if it can.
func (o Object) Fits(v Volume) error {
	size := len(v.content(v.Hash)) // which is as long as any
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(v.Keys)) {
		size += len(v.Keys[key])
		if len(validation.IsConfigMapKey(key)) > 0 {
			wrong = append(wrong, fmt.Errorf("volume %q: %q can't be a key of an object, which has up to 253 letters, digits, dots, dashes and underscores", o.Volume, key))
		}
	}
	if size > maxSize {
		wrong = append(wrong, fmt.Errorf("volume %q has %d bytes, and an object takes %d", o.Volume, size, maxSize))
	}
	return errors.Join(append(wrong, o.shown(v))...)
}

// content is that of the file with the hashes.
func (v Volume) content(whole string) string { return v.Hash + " " + whole + "\n" }

// fill replaces what an object holds. A ConfigMap's data is text, and what isn't
// goes aside; a Secret's is base64.
func (o Object) fill(fields map[string]any, v Volume, whole string) {
	data, binary := map[string]any{}, map[string]any{}
	keys := maps.Clone(v.Keys)
	keys[hashKey] = []byte(v.content(whole))
	for key, content := range keys {
		switch encoded := base64.StdEncoding.EncodeToString(content); {
		case o.Secret:
			data[key] = encoded
		case utf8.Valid(content):
			data[key] = string(content)
		default:
			binary[key] = encoded
		}
	}
	fields["data"] = data
	delete(fields, "binaryData")
	if len(binary) > 0 {
		fields["binaryData"] = binary
	}
}
