package manifest

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readJSON reads a value into nodes, with its order and its numbers as they are. The text is known to be JSON.
func readJSON(text string, line int) (*yaml.Node, error) {
	r := &jsonReader{text: text, line: line, Decoder: json.NewDecoder(strings.NewReader(text))}
	r.UseNumber()
	n, err := r.value()
	return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{n}}, err
}

type jsonReader struct {
	*json.Decoder
	text string
	line int
}

func (r *jsonReader) value() (*yaml.Node, error) {
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line + strings.Count(r.text[:r.InputOffset()], "\n")}
	switch v := token.(type) {
	case json.Delim:
		return n, r.content(n, v)
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
		if !strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if v {
			n.Value = "true"
		}
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// content reads up to the closing bracket.
func (r *jsonReader) content(n *yaml.Node, open json.Delim) error {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for r.More() {
		child, err := r.value()
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
	_, err := r.Token()
	return err
}

// indented finds how JSON is indented.
var indented = regexp.MustCompile(`^\{\r?\n([ \t]+)"`)

// writeJSON writes nodes as the original is written: on one line or on many.
func writeJSON(n *yaml.Node, original string) (string, error) {
	var flat, out bytes.Buffer
	if err := writeValue(&flat, n); err != nil {
		return "", err
	}
	m := indented.FindStringSubmatch(original)
	if m == nil {
		return flat.String(), nil
	}
	err := json.Indent(&out, flat.Bytes(), "", m[1])
	return out.String(), err
}

func writeValue(w io.Writer, n *yaml.Node) (err error) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!str" {
			return writeString(w, n.Value)
		}
		_, err = io.WriteString(w, n.Value)
		return err
	case yaml.MappingNode:
		return writeContent(w, n, "{", "}", func(i int) string { return [2]string{",", ":"}[i%2] })
	}
	return writeContent(w, n, "[", "]", func(int) string { return "," })
}

// writeContent writes what a node holds, with what stands before each child but the first.
func writeContent(w io.Writer, n *yaml.Node, open, end string, before func(int) string) error {
	io.WriteString(w, open)
	for i, child := range n.Content {
		if i > 0 {
			io.WriteString(w, before(i))
		}
		if err := writeValue(w, child); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, end)
	return err
}

func writeString(w io.Writer, s string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}
