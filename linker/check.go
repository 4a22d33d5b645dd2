package linker

import "errors"

// Check looks at the staged generation after a hook has run: it must still be
// just what was staged. Else the error is an [*Invalid].
func (l *Linker) Check() error {
	if l.staged == nil {
		return errors.New("cannot check: nothing is staged")
	}
	keys := l.toStore(l.staged).Keys
	now := &generation{files: map[string]file{}}
	now.Number = l.staged.Number
	if err := l.readBack(now, keys); err != nil {
		return invalidf("the hook changed its candidate: let it write elsewhere: %w", err)
	}
	if hashOf(now.files) != l.staged.Hash {
		return invalidf("the hook changed its candidate: let it write elsewhere")
	}
	return nil
}
