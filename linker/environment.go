package linker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// maxVariable is how many bytes NAME=VALUE may have. With its NUL that is what
// execve(2) takes for one string: MAX_ARG_STRLEN of linux/binfmts.h, 32 pages.
const maxVariable = 128<<10 - 1

// pointerSize is what execve(2) counts for each variable besides its bytes.
const pointerSize = 8

// readEnvironment makes the environment of a generation from its files. If a
// key can't be a variable, the error is an [*Invalid] that names it.
func (l *Linker) readEnvironment(g *generation.Copy) error {
	keys, err := l.variables(g)
	if err != nil || len(keys) == 0 {
		return err
	}
	env := &Environment{}
	top, err := l.copies.Enter(g)
	if err != nil {
		return err
	}
	defer top.Close()
	var wrong []error
	for _, name := range files.SortedKeys(keys) {
		flaw, err := l.readVariable(env, top, g, name, keys[name])
		if err != nil {
			return fmt.Errorf("cannot read key %q of generation %d: %w", keys[name], g.Number, err)
		}
		if flaw != nil {
			wrong = append(wrong, flaw)
		}
	}
	if err = files.JoinInvalid(wrong); err == nil {
		err = checkSize(env, l.config.Space)
	}
	g.Env = env
	return err
}

// readVariable adds one variable. flaw says why its key can't be one.
func (l *Linker) readVariable(env *Environment, top *safedir.Dir, g *generation.Copy, name string, key Key) (flaw, err error) {
	if size := int64(len(name)+len("=")) + g.Files[key].Size; size > maxVariable {
		return fmt.Errorf("key %q can't be variable %q: it would have %d bytes, and the kernel takes %d", key, name, size, maxVariable), nil
	}
	var value bytes.Buffer
	err = top.In(string(key), false, func(in *safedir.Dir, base string) error {
		sum, err := l.copies.CopyOf(in, base, &value)
		if err == nil && sum != g.Files[key].Sum {
			err = errors.New("it was changed")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	b := value.Bytes()
	switch newline := bytes.IndexByte(b, '\n'); {
	case bytes.IndexByte(b, 0) >= 0:
		return fmt.Errorf("key %q can't be variable %q: it holds a NUL byte", key, name), nil
	case newline >= 0 && newline == len(b)-1:
		env.Newlines = append(env.Newlines, name)
	}
	env.Variables = append(env.Variables, name+"="+string(b))
	return nil, nil
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
	return files.Invalidf("the variables have %d bytes, and the kernel takes %d beside what confit was started with: make them smaller, variable %q first", size, limit, name)
}

// variables lists the variables of a generation, with the key of each. A line
// that names one key wins over one with a *.
func (l *Linker) variables(g *generation.Copy) (map[string]Key, error) {
	keys, from := map[string]Key{}, map[string]int{}
	var wrong []error
	for _, p := range files.SortedKeys(g.Files) {
		for _, i := range g.Files[p].Links {
			s := &l.links[i]
			if s.Use != Variable {
				continue
			}
			name, err := s.VariableOf(p)
			other, taken := from[name]
			switch {
			case err != nil:
				wrong = append(wrong, err)
			case taken && l.links[other].Kind == lines.OneKey: // that one wins
			case taken && s.Kind != lines.OneKey:
				wrong = append(wrong, s.Errorf("key %q: variable %q is made of key %q already, for %s; a line for one key wins: write env %s %s", p, name, keys[name], l.links[other].Label(), p, name))
			default:
				keys[name], from[name] = p, i
			}
		}
	}
	return keys, files.JoinInvalid(wrong)
}

// makeVariables reports that one of the keys becomes a variable.
func (l *Linker) makeVariables(g *generation.Copy, keys []Key) bool {
	return slices.ContainsFunc(keys, func(p Key) bool {
		return slices.ContainsFunc(g.Files[p].Links, func(i int) bool { return l.links[i].Use == Variable })
	})
}
