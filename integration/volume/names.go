package volume

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the kubelet's writer, in bytes (maxFileNameLength, maxPathLength).
const (
	maxName = 255
	maxPath = 4096
)

// clean returns p with its keys in their shortest form, or refuses one of them. Step 1.
func clean(p Payload) (Payload, error) {
	cleaned := make(Payload, len(p))
	for key, file := range p {
		if err := check(key); err != nil {
			return nil, fmt.Errorf("cannot use key %q: %w", key, err)
		}
		cleaned[filepath.Clean(key)] = file
	}
	return cleaned, nil
}

// check says what is wrong with a key's name.
func check(key string) error {
	elements := strings.Split(key, "/")
	switch {
	case key == "" || filepath.Clean(key) == ".":
		return errors.New("it names no file")
	case strings.HasPrefix(key, "/"):
		return errors.New("it is absolute")
	case strings.HasPrefix(key, ".."):
		return errors.New("names that start with .. are the volume's own")
	case slices.Contains(elements, ".."):
		return errors.New("it has .. as an element")
	case len(key) > maxPath:
		return fmt.Errorf("it is longer than %d bytes", maxPath)
	case slices.ContainsFunc(elements, func(e string) bool { return len(e) > maxName }):
		return fmt.Errorf("an element is longer than %d bytes", maxName)
	}
	return nil
}

// first returns the first element of a key: the name of its visible link.
func first(key string) string {
	name, _, _ := strings.Cut(key, "/")
	return name
}
