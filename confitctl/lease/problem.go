package lease

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	api "k8s.io/apimachinery/pkg/api/errors"
)

// Problem is a request that failed.
type Problem struct {
	Kind  Kind
	After time.Duration // how long the server asked to be left alone; 0: it didn't say
	text  string
	cause error
}

// Kind is what helps.
type Kind int

// The kinds of problems.
const (
	Away     Kind = iota // ask again later
	Conflict             // read, decide and update again
	Final                // somebody must change the manifest
)

func (p *Problem) Error() string { return p.text }

// Unwrap is the client's own error.
func (p *Problem) Unwrap() error { return p.cause }

// KindOf is the kind of an error of this package. One that is no Problem, such
// as a record that can't be read, is Final.
func KindOf(err error) Kind {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Kind
	}
	return Final
}

// After is how long the server asked to be left alone.
func After(err error) time.Duration {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.After
	}
	return 0
}

// problem says in one line what was wanted and what to do; nil for nil.
func (s *Store) problem(verb string, err error) error {
	if err == nil {
		return nil
	}
	p := &Problem{cause: err}
	if seconds, ok := api.SuggestsClientDelay(err); ok {
		p.After = time.Duration(seconds) * time.Second
	}
	what := fmt.Sprintf("cannot %s lease %q in namespace %q", verb, s.name, s.namespace)
	switch {
	case api.IsConflict(err):
		p.Kind, p.text = Conflict, what+": somebody was faster"
	case api.IsNotFound(err):
		p.Kind, p.text = Final, what+": there is none; the manifest has to make it"
	case api.IsForbidden(err):
		p.Kind, p.text = Final, fmt.Sprintf("%s: forbidden; allow %q on resource %q of group %q, resourceNames [%q]: %v",
			what, verb, "leases", "coordination.k8s.io", s.name, err)
	case api.IsUnauthorized(err), api.IsInvalid(err), api.IsBadRequest(err), api.IsRequestEntityTooLargeError(err):
		p.Kind, p.text = Final, fmt.Sprintf("%s: %v", what, err)
	default:
		p.text = fmt.Sprintf("%s: %v", what, brief(err))
	}
	return p
}

// brief leaves out the address, which the client puts before each network error.
func brief(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
