package linker

import "strings"

// Use is what the keys of a line are for.
type Use int

const (
	Linked   Use = iota // targets point at them
	Input               // only hooks read them
	Variable            // they are variables of the app's environment
)

// parseUse is parseTarget for a line without a target.
func (s *source) parseUse() error {
	if s.kind == wholeDir { // each key below it, as with a target that ends in a slash
		s.kind = tree
	}
	if s.Use == Variable {
		return s.parseName()
	}
	return nil
}

// parseName refuses a name that no variable can have, or that would take a
// meaning from confit, the app or the platform.
func (s *source) parseName() error {
	stars := strings.Count(s.Name, "*")
	switch {
	case s.Name == "" || strings.ContainsAny(s.Name, "=\x00"):
		return s.errorf("%q is no name of a variable: write one without =, such as LOG_LEVEL", s.Name)
	case s.kind == oneKey && stars > 0:
		return s.errorf("variable %q has a *, and source %q is one key: write the name out", s.Name, s.Source)
	case s.kind != oneKey && stars != 1:
		return s.errorf("variable %q is for many keys: write one * for the key's name, such as %q", s.Name, "APP_*")
	case isReserved(s.Name):
		return s.errorf("variable %q has a meaning of its own for confit or the app: write another name", s.Name)
	}
	return nil
}
