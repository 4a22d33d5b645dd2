package apply

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// texts holds that each key of a field is text. The server would say so, too, but with the value.
func texts(u *unstructured.Unstructured, field string, encoded bool) (errs []error) {
	keys, is := u.Object[field].(map[string]any)
	if !is && u.Object[field] != nil {
		return []error{fmt.Errorf("%s isn't a map of keys", field)}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		text, is := keys[key].(string)
		switch _, err := base64.StdEncoding.DecodeString(text); {
		case !is:
			errs = append(errs, fmt.Errorf("%s.%s is %s: write it in quotes", field, key, called(keys[key])))
		case encoded && err != nil:
			errs = append(errs, fmt.Errorf("%s.%s isn't base64", field, key))
		}
	}
	return errs
}

// called is what people call a value of YAML.
func called(value any) string {
	switch value.(type) {
	case bool:
		return "true or false, not text"
	case int64, float64:
		return "a number, not text"
	case nil:
		return "empty, not text"
	}
	return "no text"
}
