package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
	"confit/confitctl/snapshot"
)

// Snapshot is what a replica knows of the objects that new pods start on.
type Snapshot struct {
	Lease   *lease.Store
	Store   *snapshot.Store
	Objects []snapshot.Object
	Source  snapshot.Source // what this replica has accepted
	Out     io.Writer       // where it says why there is no snapshot
}

// errOutdated is that the record wants something else by now.
var errOutdated = errors.New("the fleet has accepted something else")

// Keep writes what this replica has accepted into the objects that don't hold it
// yet, if the record wants just that. Any replica may do that, and to repeat it
// changes nothing: so who was killed between its report and this is made up for
// by itself, or by whoever reports next.
//
// An older rollout never overwrites a newer one:
//
//  1. Read the object.
//  2. Read the record. If it wants something else by now, this ends here.
//  3. Replace the object as it was read.
//
// A newer one changes the record before it writes. If the record was changed
// before 2, this stops there. If not, the newer one writes after 1: then either
// 3 fails, or it comes first.
//
// What only a person can fix is said, and no error: a fleet rolls on without a
// snapshot. It tries until the context ends; the error is why that was too soon.
func (s *Snapshot) Keep(ctx context.Context, record rollout.Record) error {
	if s.Source.Hash == "" || record.Snapshot != s.Source.Hash {
		return nil
	}
	err := patience.Try(ctx, func() error { return s.keep(ctx) })
	switch {
	case errors.Is(err, errOutdated):
		return nil
	case err != nil && kube.KindOf(err) == kube.Final:
		fmt.Fprintln(s.Out, "no snapshot:", err)
		return nil
	}
	return err
}

// keep is one try.
func (s *Snapshot) keep(ctx context.Context) error {
	var old []snapshot.Object
	for _, o := range s.Objects {
		hash, err := s.Store.Hash(ctx, o)
		if err != nil {
			return err
		}
		if hash != s.Source.Hash {
			old = append(old, o)
		}
	}
	if len(old) == 0 {
		return nil
	}
	volumes, err := s.read()
	if err != nil {
		return err
	}
	for _, o := range old {
		if err := s.replace(ctx, o, volumes[o.Volume]); err != nil {
			return err
		}
	}
	return nil
}

// read is all volumes, also those that are kept already: all of them fit, or
// none is written.
func (s *Snapshot) read() (map[string]snapshot.Volume, error) {
	var names []string
	for _, o := range s.Objects {
		names = append(names, o.Volume)
	}
	volumes, err := s.Source.Read(names)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, o := range s.Objects {
		wrong = append(wrong, o.Fits(volumes[o.Volume]))
	}
	return volumes, errors.Join(wrong...)
}

func (s *Snapshot) replace(ctx context.Context, o snapshot.Object, v snapshot.Volume) error {
	version, err := s.Store.Load(ctx, o) // 1
	if err != nil {
		return err
	}
	record, _, err := s.Lease.Load(ctx) // 2
	if err != nil {
		return err
	}
	if record.Snapshot != s.Source.Hash {
		return errOutdated
	}
	return s.Store.Save(ctx, o, version, v, s.Source.Hash) // 3
}
