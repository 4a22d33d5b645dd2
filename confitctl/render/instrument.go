package render

import (
	"fmt"
	"text/template"
	"text/template/parse"
)

// Names of functions that are put into each template as it was parsed.
const (
	printFunction = "_print" // the end of each action that prints
	stepFunction  = "_step"  // the beginning of each template and of each turn of a loop
)

// own are these functions.
func (e *engine) own() template.FuncMap {
	return template.FuncMap{
		stepFunction: func() (string, error) { return "", e.check() },
		printFunction: func(v any) (string, error) {
			text, err := printed(v)
			if err == nil {
				err = e.check()
			}
			return text, err
		},
	}
}

// instrument changes what was parsed and isn't changed yet: what an action
// prints is looked at before, and no loop and no recursion goes on when the
// context has ended. So each error has the place where it is.
func (e *engine) instrument(set *template.Template) error {
	for _, t := range set.Templates() {
		if t.Tree == nil || e.done[t.Tree] {
			continue
		}
		e.done[t.Tree] = true
		if err := instrumentList(t.Tree, t.Root); err != nil {
			return err
		}
		t.Root.Nodes = append([]parse.Node{step(t.Root.Pos)}, t.Root.Nodes...)
	}
	return nil
}

func instrumentList(tree *parse.Tree, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := instrumentNode(tree, node); err != nil {
			return err
		}
	}
	return nil
}

func instrumentNode(tree *parse.Tree, node parse.Node) error {
	switch n := node.(type) {
	case *parse.TextNode:
		if isBroken(string(n.Text)) {
			where, _ := tree.ErrorContext(n)
			return fmt.Errorf("template: %s: its text holds <no value>, or %%! and an error of a format: what made the template has failed", where)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			n.Pipe.Cmds = append(n.Pipe.Cmds, call(printFunction, n.Pipe.Pos))
		}
	case *parse.IfNode:
		return instrumentBranch(tree, &n.BranchNode)
	case *parse.WithNode:
		return instrumentBranch(tree, &n.BranchNode)
	case *parse.RangeNode:
		err := instrumentBranch(tree, &n.BranchNode)
		n.List.Nodes = append([]parse.Node{step(n.Pos)}, n.List.Nodes...)
		return err
	}
	return nil
}

func instrumentBranch(tree *parse.Tree, n *parse.BranchNode) error {
	if err := instrumentList(tree, n.List); err != nil {
		return err
	}
	return instrumentList(tree, n.ElseList)
}

// step is an action that prints nothing.
func step(at parse.Pos) parse.Node {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{call(stepFunction, at)},
	}}
}

func call(function string, at parse.Pos) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{parse.NewIdentifier(function).SetPos(at)}}
}
