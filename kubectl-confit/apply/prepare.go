package apply

import (
	"context"
	"errors"
	"fmt"

	api "k8s.io/apimachinery/pkg/api/errors"

	"confit/kubectl-confit/cluster"
)

// Read reads what the server has, and refuses objects that somebody else keeps, all at once.
func (s *Store) Read(ctx context.Context, objects []*Object) error {
	return each(objects, func(o *Object) (err error) {
		if o.Before, err = s.get(ctx, o.Object); err != nil {
			return err
		}
		return o.kept()
	})
}

// Try has the server do all but keep it. The error has all that it refuses.
func (s *Store) Try(ctx context.Context, objects []*Object) error {
	return each(objects, func(o *Object) (err error) {
		if o.Before != nil {
			if o.owners, err = s.adopted(o.Before); err != nil {
				return fmt.Errorf("cannot apply %s: %w", o, err)
			}
		}
		if o.Merged, err = s.apply(ctx, o, o.Before, true); err != nil {
			return err
		}
		return s.leave(o)
	})
}

// Apply applies all objects. If one fails, those that have been applied have an After.
func (s *Store) Apply(ctx context.Context, objects []*Object) error {
	for _, o := range objects {
		if o.Same = s.changesNothing(o); o.Same {
			o.After = o.Before
			continue
		}
		onto, err := s.adopt(ctx, o)
		if err != nil {
			return err
		}
		after, err := s.apply(ctx, o, onto, false)
		if err != nil {
			return err
		}
		if o.After, err = s.remember(ctx, o, after); err != nil {
			return err
		}
	}
	return nil
}

// Undo puts back the objects that were applied. Of those that it can't put back the error says why.
func (s *Store) Undo(ctx context.Context, objects []*Object) error {
	return each(objects, func(o *Object) error {
		if o.Same {
			return nil
		}
		if err := s.find(ctx, o); err != nil || o.After == nil {
			return s.unable(o, err)
		}
		back, err := s.undo(ctx, o)
		if api.IsConflict(err) || api.IsNotFound(err) {
			return fmt.Errorf("%s is left as it is: somebody has changed it since it was applied", o)
		}
		if err != nil {
			return s.unable(o, err)
		}
		o.Back, o.Undone = back, true
		return nil
	})
}

// find looks for an object of which nobody knows whether it was applied.
func (s *Store) find(ctx context.Context, o *Object) error {
	if !o.Unsure {
		return nil
	}
	now, err := s.get(ctx, o.Object)
	if o.Unsure = err != nil; same(now, o.Merged) && !same(now, o.Before) {
		o.After = now
	}
	return err
}

// unable says what isn't put back, and what does that when the server answers.
func (s *Store) unable(o *Object, err error) error {
	if err == nil {
		return nil
	}
	does := "kubectl apply --server-side -n " + s.Client.Namespace + " -f FILE does that, with the FILE of before"
	if o.Before == nil {
		does = "kubectl delete " + o.String() + " -n " + s.Client.Namespace + " does that"
	}
	return fmt.Errorf("%w: %s", cluster.Problem("put back", o.String(), err), does)
}

// undoable says no to an object that can't be put back once it is applied.
func (o *Object) undoable() error {
	if o.Before == nil || !immutable(o.Merged) || immutable(o.Before) {
		return nil
	}
	return fmt.Errorf("cannot apply %s with --undo: it becomes immutable, and the server puts nothing back then: leave --undo out, or immutable", o)
}

// each does something with all objects, and returns all errors.
func each(objects []*Object, do func(*Object) error) error {
	var errs []error
	for _, o := range objects {
		errs = append(errs, do(o))
	}
	return errors.Join(errs...)
}
