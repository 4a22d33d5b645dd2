// Package tree reads and writes YAML nodes where anchors, aliases and merge keys may be.
//
// It guarantees that a reader sees what a decoder would see, and that a writer changes no place but the one that a path
// names: what others share with that place by an anchor is written out where they use it. Comments, order and style of all
// else stay.
package tree

import "go.yaml.in/yaml/v3"

// A Path leads from a document's content to a node: a string is the key of a mapping, an int the index of a sequence.
type Path []any

// With is the path and more steps, in memory of its own.
func (p Path) With(steps ...any) Path {
	return append(append(Path{}, p...), steps...)
}

// At finds the node that a path leads to from n, through aliases and merge keys. It is nil where there is nothing, or null.
func At(n *yaml.Node, steps ...any) *yaml.Node {
	n = follow(n)
	for _, step := range steps {
		switch s := step.(type) {
		case string:
			n = field(n, s)
		case int:
			n = item(n, s)
		}
	}
	if n != nil && n.Tag == "!!null" {
		return nil
	}
	return n
}

// Items are the elements of a sequence, and none of anything else.
func Items(n *yaml.Node) []*yaml.Node {
	if n = follow(n); n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// Line is where a node stands, and that of its parent if the node isn't there.
func Line(parent *yaml.Node, steps ...any) int {
	for end := len(steps); end >= 0; end-- {
		if n := At(parent, steps[:end]...); n != nil {
			return n.Line
		}
	}
	return 0
}

// Comments are all that a node and what it holds are commented with, in their order.
func Comments(n *yaml.Node) (list []string) {
	add := func(comment string) {
		if comment != "" {
			list = append(list, comment)
		}
	}
	add(n.HeadComment)
	add(n.LineComment)
	for _, child := range n.Content {
		list = append(list, Comments(child)...)
	}
	add(n.FootComment)
	return list
}

// Copy is the node with all that it has, without anchors, aliases, merge keys and comments: it can stand anywhere.
func Copy(n *yaml.Node) *yaml.Node {
	n = follow(n)
	made := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style}
	switch n.Kind {
	case yaml.MappingNode:
		for _, p := range pairs(n) {
			made.Content = append(made.Content, Copy(p.key), Copy(p.value))
		}
	case yaml.SequenceNode:
		for _, child := range n.Content {
			made.Content = append(made.Content, Copy(child))
		}
	}
	return made
}

// follow is what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

type pair struct{ key, value *yaml.Node }

// pairs are those of a mapping as a decoder sees them: its own, then those of its merge keys that it hasn't itself.
func pairs(n *yaml.Node) (list []pair) {
	seen := map[string]bool{}
	add := func(all []pair) {
		for _, p := range all {
			if key := follow(p.key).Value; !seen[key] {
				seen[key] = true
				list = append(list, p)
			}
		}
	}
	var own []pair
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			merged = append(merged, sources(n.Content[i+1])...)
		} else {
			own = append(own, pair{n.Content[i], n.Content[i+1]})
		}
	}
	add(own)
	for _, m := range merged {
		add(pairs(m))
	}
	return list
}

// sources are the mappings that a merge key names: one, or a list in which the first wins.
func sources(n *yaml.Node) (list []*yaml.Node) {
	n = follow(n)
	if n.Kind == yaml.MappingNode {
		return []*yaml.Node{n}
	}
	for _, child := range Items(n) {
		list = append(list, sources(child)...)
	}
	return list
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && (key.Tag == "" || key.Tag == "!" || key.ShortTag() == "!!merge")
}

func field(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, p := range pairs(n) {
		if follow(p.key).Value == key {
			return follow(p.value)
		}
	}
	return nil
}

func item(n *yaml.Node, index int) *yaml.Node {
	if items := Items(n); index < len(items) {
		return follow(items[index])
	}
	return nil
}
