package tree

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Own returns the node at a path for writing. Nobody else has it afterwards: an alias on the way becomes a copy, and others'
// aliases to a node on the way become copies of what it is now. What is missing or null on the way becomes a mapping. Each
// index of the path must be there.
func Own(document *yaml.Node, path Path) *yaml.Node {
	n := ownSlot(document, &document.Content[0])
	for _, step := range path {
		switch s := step.(type) {
		case string:
			n = ownSlot(document, value(n, s))
		case int:
			n = ownSlot(document, &n.Content[s])
		}
	}
	return n
}

// OwnList is Own for a sequence: what is missing or null becomes an empty one.
func OwnList(document *yaml.Node, path Path) *yaml.Node {
	n := Own(document, path)
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	}
	if len(n.Content) == 0 {
		n.Style = 0
	}
	return n
}

// ownSlot makes what stands in a slot nobody else's.
func ownSlot(document *yaml.Node, slot **yaml.Node) *yaml.Node {
	n := *slot
	switch {
	case n.Kind == yaml.AliasNode:
		*slot = inPlaceOf(n)
	case n.Tag == "!!null":
		*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: n.HeadComment, LineComment: n.LineComment, FootComment: n.FootComment}
	case n.Anchor != "" && writeOut(document, func(alias *yaml.Node) bool { return alias.Alias == n }):
		n.Anchor = ""
	}
	return *slot
}

// Repair writes out each alias whose anchor has gone, or stands behind it.
func Repair(document *yaml.Node) {
	known := map[string]*yaml.Node{}
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Anchor != "" {
			known[n.Anchor] = n
		}
		for i, child := range n.Content {
			if child.Kind == yaml.AliasNode && known[child.Value] != child.Alias {
				n.Content[i] = inPlaceOf(child)
			}
			walk(n.Content[i])
		}
	}
	walk(document)
}

// writeOut puts copies in the place of aliases, and says whether there were any.
func writeOut(n *yaml.Node, chosen func(*yaml.Node) bool) (any bool) {
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode && chosen(child) {
			n.Content[i], any = inPlaceOf(child), true
		}
		any = writeOut(n.Content[i], chosen) || any
	}
	return any
}

// inPlaceOf is a copy of what an alias stands for, with the alias' own comments. A comment behind the alias can't stand behind
// several lines.
func inPlaceOf(alias *yaml.Node) *yaml.Node {
	made := Copy(alias)
	made.HeadComment, made.LineComment, made.FootComment = alias.HeadComment, alias.LineComment, alias.FootComment
	if len(made.Content) > 0 && made.Style&yaml.FlowStyle == 0 {
		made.HeadComment, made.LineComment = strings.Trim(alias.HeadComment+"\n"+alias.LineComment, "\n"), ""
	}
	made.Line, made.Column = alias.Line, alias.Column
	return made
}

// before says in front of which key a new one is put into a mapping, and so where people look for it.
var before = map[string][]string{
	"metadata": {"spec"}, "initContainers": {"containers"}, "command": {"args", "ports", "env", "envFrom", "resources", "volumeMounts"},
	"env": {"resources", "volumeMounts"},
}

// value is the slot of a key's value. A key that only a merge key brings, or nobody, becomes the mapping's own.
func value(n *yaml.Node, key string) **yaml.Node {
	if i := indexOf(n, key); i >= 0 {
		return &n.Content[i+1]
	}
	made := Map()
	if merged := field(n, key); merged != nil {
		made = Copy(merged)
	}
	at := len(n.Content)
	for _, next := range before[key] {
		if i := indexOf(n, next); i >= 0 {
			at = i
			break
		}
	}
	n.Content = slices.Insert(n.Content, at, Str(key), made)
	return &n.Content[at+1]
}

// indexOf is where a mapping's own key stands, or -1.
func indexOf(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if follow(n.Content[i]).Value == key && !isMerge(n.Content[i]) {
			return i
		}
	}
	return -1
}
