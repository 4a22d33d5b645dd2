package tree

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plain are strings that no reader of YAML, of 1.1 or 1.2, takes for something else, once notBool has looked at them.
var plain = regexp.MustCompile(`^(--?)?[A-Za-z/](:?[A-Za-z0-9_./=@-])*$|^--$`)

// taken are words that YAML 1.1, which Kubernetes reads, takes for something else than a string.
var taken = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)

// Str is a string: on lines of its own if it has several, else quoted if it has to be.
func Str(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case strings.Contains(s, "\n"):
		n.Style = yaml.LiteralStyle
	case !plain.MatchString(s) || taken.MatchString(s):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// Plain is a string that needs no quotes, whatever it looks like.
func Plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// Bool is true or false.
func Bool(b bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}
	if b {
		n.Value = "true"
	}
	return n
}

// Seq is a sequence, an item a line.
func Seq(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

// Words is a sequence of strings on one line.
func Words(words []string) *yaml.Node {
	n := Seq()
	n.Style = yaml.FlowStyle
	for _, w := range words {
		n.Content = append(n.Content, Str(w))
	}
	return n
}

// Field is a key of a mapping with its value.
type Field struct {
	Key   string
	Value *yaml.Node // nil: the mapping gets no such key
}

// Map is a mapping in the order of its fields.
func Map(fields ...Field) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fields {
		if f.Value != nil {
			n.Content = append(n.Content, Str(f.Key), f.Value)
		}
	}
	return n
}

// Strings is a mapping of strings, given as key, value, key, value …
func Strings(texts ...string) *yaml.Node {
	n := Map()
	for i := 0; i+1 < len(texts); i += 2 {
		n.Content = append(n.Content, Str(texts[i]), Str(texts[i+1]))
	}
	return n
}
