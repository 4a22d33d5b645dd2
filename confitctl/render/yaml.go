package render

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fromYAML reads one document. Numbers keep their text, and yes, on, no and off
// are bools, as they are to Kubernetes.
func fromYAML(text string) (any, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	var document, second yaml.Node
	switch err := d.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, withoutQuotes(err)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("yaml: line %d: a second document begins; one is read", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, withoutQuotes(err)
	}
	return (&reader{within: map[*yaml.Node]bool{}}).value(&document)
}

// quoted is what a parser quotes of its input.
var quoted = regexp.MustCompile("(?s)[`'\"].*[`'\"]|invalid map key: .*")

// withoutQuotes leaves out what a parser quotes: a password that begins with an
// asterisk is an unknown anchor to it. One line will do.
func withoutQuotes(err error) error {
	text := err.Error()
	if several, ok := errors.AsType[*yaml.TypeError](err); ok {
		text = "yaml: " + several.Errors[0]
	}
	return errors.New(quoted.ReplaceAllLiteralString(text, "…"))
}

// reader makes values of nodes. The library does that, too, but a float has no
// text there, and to find a key twice it compares each with each.
type reader struct {
	within map[*yaml.Node]bool // what aliases stand for that is being read
	aliens int                 // values that were read by aliases
}

func (r *reader) value(n *yaml.Node) (any, error) {
	if len(r.within) > 0 {
		if r.aliens++; r.aliens > maxList {
			return nil, fmt.Errorf("yaml: line %d: aliases make more than %d values", n.Line, maxList)
		}
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0])
	case yaml.AliasNode:
		if r.within[n.Alias] {
			return nil, fmt.Errorf("yaml: line %d: an alias stands for what it is in", n.Line)
		}
		r.within[n.Alias] = true
		defer delete(r.within, n.Alias)
		return r.value(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := r.value(item)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return r.mapping(n)
	}
	return scalar(n)
}

func (r *reader) mapping(n *yaml.Node) (any, error) {
	m := make(map[string]any, len(n.Content)/2)
	var merged []*yaml.Node
	for pair := range slices.Chunk(n.Content, 2) {
		key := resolve(pair[0])
		switch _, twice := m[key.Value]; {
		case key.ShortTag() == "!!merge":
			merged = append(merged, sources(pair[1])...)
			continue
		case key.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("yaml: line %d: a list or a map can't be a key", key.Line)
		case twice:
			return nil, fmt.Errorf("yaml: line %d: this key is there already", pair[0].Line)
		}
		v, err := r.value(pair[1])
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	return m, r.merge(m, merged)
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// sources are what a key << names: a map, or a list of them.
func sources(n *yaml.Node) []*yaml.Node {
	if list := resolve(n); list.Kind == yaml.SequenceNode {
		return list.Content
	}
	return []*yaml.Node{n}
}

// merge adds the keys that aren't there yet: the first map that has one wins.
func (r *reader) merge(m map[string]any, from []*yaml.Node) error {
	for _, n := range from {
		v, err := r.value(n)
		if err != nil {
			return err
		}
		more, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("yaml: line %d: << takes a map, or a list of maps", n.Line)
		}
		for key, v := range more {
			if _, ok := m[key]; !ok {
				m[key] = v
			}
		}
	}
	return nil
}

// bools are those of YAML 1.1 that the parser leaves as texts.
var bools = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

func scalar(n *yaml.Node) (v any, err error) {
	isPlain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		truth, isBool := bools[n.Value]
		switch {
		case isPlain && isBool:
			return truth, nil
		case isPlain && jsonNumber.MatchString(n.Value): // too large for a float64: to the parser it is a text
			return numeral(n.Value), nil
		}
		return n.Value, nil
	case "!!binary":
		data, err := base64.StdEncoding.DecodeString(n.Value)
		return string(data), err
	}
	if err := n.Decode(&v); err != nil {
		return nil, withoutQuotes(err)
	}
	switch f := v.(type) {
	case int64, uint64:
		return numeral(fmt.Sprint(f)), nil
	case float64:
		if jsonNumber.MatchString(n.Value) {
			return numeral(n.Value), nil
		}
		return f + 0, nil // -0 is 0
	}
	return v, nil
}

func toYAML(v any) (string, error) {
	v, err := walk(v, func(v any) (any, error) {
		switch v := v.(type) {
		case float64:
			if p, err := plain(v); err == nil {
				return p, nil
			}
		case string:
			if jsonNumber.MatchString(v) { // one too large for a float64 is a text to the library, which would write it without quotes
				return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: v}, nil
			}
		}
		return v, nil
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	err = errors.Join(e.Encode(v), e.Close())
	return strings.TrimSuffix(b.String(), "\n"), err
}
