package linker

import (
	"errors"
	"fmt"
)

// Check looks at the staged generation after a hook has run: it must still be
// just what was staged. Else the error is an [*Invalid] that names what changed.
func (l *Linker) Check() error {
	if l.staged == nil {
		return errors.New("cannot check: nothing is staged")
	}
	flaws, err := l.inspect(l.staged)
	if err != nil {
		return fmt.Errorf("cannot check generation %d in state directory %q: %w", l.staged.Number, l.state.path, cause(err))
	}
	var wrong []error
	for _, f := range flaws {
		wrong = append(wrong, fmt.Errorf("%s: let it write elsewhere", f.blame(l.staged)))
	}
	return joinInvalid(wrong)
}

// blame says what a hook did.
func (f flaw) blame(g *generation) string {
	what := "directory"
	if _, key := g.files[f.path]; key {
		what = "key"
	}
	switch f.kind {
	case added:
		return fmt.Sprintf("the hook added %q to its candidate", f.path)
	case removed:
		return fmt.Sprintf("the hook removed %s %q from its candidate", what, f.path)
	case altered:
		return fmt.Sprintf("the hook changed %s %q of its candidate", what, f.path)
	}
	return fmt.Sprintf("the hook changed the mode or owner of %s %q of its candidate", what, f.path)
}
