package kube

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Object is what a request is about.
type Object struct {
	Group, Resource string // as a role names them
	Kind            string // as a person calls it
	Namespace, Name string
}

// CheckName refuses a name that Kubernetes doesn't take: no request is made for
// it, and to ask again doesn't help.
func CheckName(name string) error {
	if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
		return fmt.Errorf("%q can't be an object's name: write lower case letters and digits, with - and . between them, 253 at most", name)
	}
	return nil
}

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

// IsDenied reports that the server says that the role doesn't allow it, or that
// it doesn't know the token.
func IsDenied(err error) bool { return api.IsForbidden(err) || api.IsUnauthorized(err) }

// After is how long the server asked to be left alone.
func After(err error) time.Duration {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.After
	}
	return 0
}

// Problem says in one line what was wanted and what to do; nil for nil.
func (o Object) Problem(verb string, err error) error {
	if err == nil {
		return nil
	}
	p := &Problem{cause: err}
	if seconds, ok := api.SuggestsClientDelay(err); ok {
		p.After = time.Duration(seconds) * time.Second
	}
	what := fmt.Sprintf("cannot %s %s %q in namespace %q", verb, o.Kind, o.Name, o.Namespace)
	switch {
	case api.IsConflict(err):
		p.Kind, p.text = Conflict, what+": somebody was faster"
	case api.IsNotFound(err):
		p.Kind, p.text = Final, what+": there is none; the manifest has to make it"
	case api.IsForbidden(err):
		p.Kind, p.text = Final, fmt.Sprintf("%s: forbidden; allow %q on resource %q of group %q, resourceNames [%q]: %v",
			what, verb, o.Resource, o.Group, o.Name, err)
	case api.IsUnauthorized(err), api.IsInvalid(err), api.IsBadRequest(err), api.IsRequestEntityTooLargeError(err):
		p.Kind, p.text = Final, fmt.Sprintf("%s: %v", what, err)
	default:
		p.text = fmt.Sprintf("%s: %v", what, brief(err))
	}
	return p
}

// brief leaves out the address, which the client puts before each network error,
// and the port on this side: it is another for each connection, and who says an
// error only when it changes would repeat it.
func brief(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return &net.OpError{Op: op.Op, Net: op.Net, Addr: op.Addr, Err: op.Err}
	}
	return err
}
