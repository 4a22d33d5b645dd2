package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"confit/kubectl-confit/pods"
)

// ErrNever is in the errors of a configuration that the kubelet would bring to nobody.
var ErrNever = errors.New("the kubelet would leave the volume as it is")

// most is what --try takes on its stdin, in bytes.
const most = 4 << 20

// Payload is the document that --try reads: each volume that has a given object, whole, as the kubelet would lay it out. held
// has the given objects and those of Needs; of these it lacks what the API doesn't have.
func (t *Trial) Payload(held map[pods.Object]map[string][]byte) ([]byte, error) {
	document := map[string]map[string][]byte{} // encoding/json writes bytes as base64
	var errs []error
	for _, m := range t.mounts() {
		name, below := strings.CutPrefix(m.Path, strings.TrimSuffix(t.Container.Volumes, "/")+"/")
		files, missing := pods.Lay(m, held)
		switch {
		case !below:
			errs = append(errs, fmt.Errorf("the volume at %q isn't below %q, and only such ones can be tried", m.Path, t.Container.Volumes))
		case len(m.Others) > 0:
			errs = append(errs, fmt.Errorf("the volume at %q has %s, too, of a token or of fields of the pod, which nobody else can know", m.Path, strings.Join(m.Others, ", ")))
		default:
			document[name] = files
		}
		for _, gone := range missing {
			errs = append(errs, fmt.Errorf("%w: the one at %q needs %s", ErrNever, m.Path, what(gone)))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	text, err := json.Marshal(document)
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is too much to be tried at once: %d bytes as --try reads them, of %d", strings.Join(names(t.Objects), ", "), len(text), most)
	}
	return text, err
}

func what(m pods.Missing) string {
	if m.Key == "" {
		return m.String() + ", which isn't there; write optional: true if it may be missing"
	}
	return fmt.Sprintf("key %q of %s, which isn't there; write optional: true if it may be missing", m.Key, m.Object)
}

func names(list []pods.Object) (names []string) {
	for _, o := range list {
		names = append(names, o.String())
	}
	return names
}
