package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// foreign is what JSON may have in a string and YAML may not: a slash that is escaped, a character in two halves or one half
// alone, and some as they stand. Other escapes are found, too, so that a backslash is never taken for the beginning of a half.
var foreign = regexp.MustCompile(`(?s)(?:\\u[dD][89abAB]..)?\\u[dD][89a-fA-F]..|\\.|[\x7f-\x{9f}\x{2028}\x{2029}\x{feff}\x{fffe}\x{ffff}]`)

// readJSON reads a value as the YAML that it is then, with its order and its numbers as they are. The text is known to be JSON.
func readJSON(text string, line int) (*yaml.Node, error) {
	return readYAML(foreign.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case found[0] != '\\':
			return fmt.Sprintf(`\u%04x`, []rune(found)[0])
		case len(found) > 2 || found == `\/`:
			var characters string
			_ = json.Unmarshal([]byte(`"`+found+`"`), &characters) // it is JSON
			return characters
		}
		return found
	}), line)
}

// indented finds how JSON is indented.
var indented = regexp.MustCompile(`^\{\r?\n([ \t]+)"`)

// writeJSON writes nodes as the original is written: on one line or on many.
func writeJSON(n *yaml.Node, original string) (string, error) {
	var flat, out bytes.Buffer
	if err := write(&flat, n); err != nil {
		return "", err
	}
	m := indented.FindStringSubmatch(original)
	if m == nil {
		return flat.String(), nil
	}
	err := json.Indent(&out, flat.Bytes(), "", m[1])
	return out.String(), err
}

func write(w *bytes.Buffer, n *yaml.Node) (err error) {
	switch {
	case n.Kind == yaml.MappingNode:
		return writeAll(w, n, "{}", ",:")
	case n.Kind == yaml.SequenceNode:
		return writeAll(w, n, "[]", ",,")
	case n.Tag != "!!str":
		w.WriteString(n.Value)
		return nil
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	err = e.Encode(n.Value)
	w.Truncate(w.Len() - 1) // it ends the line
	return err
}

// writeAll writes what a node holds: between says what stands before each child but the first.
func writeAll(w *bytes.Buffer, n *yaml.Node, ends, between string) error {
	w.WriteByte(ends[0])
	for i, child := range n.Content {
		if i > 0 {
			w.WriteByte(between[i%2])
		}
		if err := write(w, child); err != nil {
			return err
		}
	}
	return w.WriteByte(ends[1])
}
