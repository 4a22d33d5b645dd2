package linker

import (
	"bytes"
	"fmt"
	"strings"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// maxVariable is how many bytes NAME=VALUE may have: MAX_ARG_STRLEN of linux/binfmts.h, 32 pages,
// less its NUL.
const maxVariable = 128<<10 - 1

// pointerSize is what execve(2) counts for each variable besides its bytes.
const pointerSize = 8

// readEnvironment makes the environment of a generation from its files. An [*Invalid] names keys
// that can't be variables.
func (l *Linker) readEnvironment(g *generation.Stored) error {
	keys, err := l.variables(g)
	if err != nil || len(keys) == 0 {
		return err
	}
	g.Env = &Environment{}
	var wrong []error
	for _, name := range files.SortedKeys(keys) {
		key := keys[name]
		if size := int64(len(name)+len("=")) + g.Files[key].Size; size > maxVariable {
			err := fmt.Errorf("key %q can't be variable %q: it would have %d bytes, and the kernel takes %d",
				key, name, size, maxVariable)
			wrong = append(wrong, err)
			continue
		}
		value, err := l.copies.Read(g, key)
		switch newline := bytes.IndexByte(value, '\n'); {
		case err != nil:
			return fmt.Errorf("cannot read key %q of generation %d: %w", key, g.Number, err)
		case bytes.IndexByte(value, 0) >= 0:
			wrong = append(wrong, fmt.Errorf("key %q can't be variable %q: it holds a NUL byte", key, name))
		case newline >= 0 && newline == len(value)-1:
			g.Env.Newlines = append(g.Env.Newlines, name)
		}
		g.Env.Variables = append(g.Env.Variables, name+"="+string(value))
	}
	if err = files.JoinInvalid(wrong); err == nil {
		err = checkSize(g.Env, l.config.Space)
	}
	return err
}

// checkSize refuses more than a process can be started with.
func checkSize(e *Environment, limit int) error {
	size, largest := 0, ""
	for _, v := range e.Variables {
		size += len(v) + 1 + pointerSize
		if len(v) > len(largest) {
			largest = v
		}
	}
	if limit == 0 || size <= limit {
		return nil
	}
	name, _, _ := strings.Cut(largest, "=")
	return files.Invalidf(
		"the variables have %d bytes, and the kernel takes %d beside what confit was started with: make them smaller, variable %q first", size, limit, name)
}

// variables lists the variables of a generation, with the key of each. Lines that name one key win
// over those with a *, so they come first.
func (l *Linker) variables(g *generation.Stored) (map[string]Key, error) {
	keys, from := map[string]Key{}, map[string]*lines.Line{}
	var wrong []error
	add := func(p Key, s *lines.Line) {
		name, err := s.VariableOf(p)
		other := from[name]
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case other == nil:
			keys[name], from[name] = p, s
		case other.Kind != lines.OneKey:
			wrong = append(wrong, s.Errorf(
				"key %q: variable %q is made of key %q already, for %s; a line for one key wins: write env %s %s",
				p, name, keys[name], other.Label(), p, name))
		}
	}
	for _, oneKey := range []bool{true, false} {
		for _, p := range files.SortedKeys(g.Files) {
			for _, i := range g.Files[p].Links {
				if s := l.links[i]; s.Use == Variable && (s.Kind == lines.OneKey) == oneKey {
					add(p, s)
				}
			}
		}
	}
	return keys, files.JoinInvalid(wrong)
}
