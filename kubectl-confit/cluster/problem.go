package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	api "k8s.io/apimachinery/pkg/api/errors"
)

// Problem says in one line what could not be done, and which right is missing if one is; nil for nil. verb and thing are
// words for people: "read", "configmap/web".
func Problem(verb, thing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("cannot %s %s: %w", verb, thing, &problem{err})
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// problem is an error of the API server or of the way to it, as one line.
type problem struct{ cause error }

func (p *problem) Unwrap() error { return p.cause }

func (p *problem) Error() string {
	err := p.cause
	if d := details(err); api.IsForbidden(err) && d != "" {
		return "the right to " + d + " is missing: " + line(err)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = &net.OpError{Op: op.Op, Net: op.Net, Addr: op.Addr, Err: op.Err}
	}
	return line(err)
}

func line(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// details are the verb and the resource that a server misses a right for: "get secrets".
func details(err error) string {
	_, rest, ok := strings.Cut(err.Error(), " cannot ")
	words := strings.Fields(rest)
	if !ok || len(words) < 3 || words[1] != "resource" {
		return ""
	}
	return words[0] + " " + strings.Trim(words[2], `"`)
}

// IsForbidden reports that a right is missing.
func IsForbidden(err error) bool { return api.IsForbidden(err) }

// IsNotFound reports that the server has no such object.
func IsNotFound(err error) bool { return api.IsNotFound(err) }

// isRefusal reports that asking again doesn't help.
func isRefusal(err error) bool {
	return IsForbidden(err) || IsNotFound(err) || api.IsUnauthorized(err) || api.IsBadRequest(err) || api.IsMethodNotSupported(err)
}

// keep is an error that ends a watch; nil for one that another look may fix.
func keep(err error) error {
	if isRefusal(err) {
		return err
	}
	return nil
}
