package linker

import (
	"errors"

	"confit/linker/volume"
)

// HasFallback reports whether [Linker.StageFallback] has anything to stage. What
// can't be looked at counts: the stage tells why.
func (l *Linker) HasFallback() bool {
	_, err := l.reader.InFallback(l.config.Volumes, l.config.Fallback)
	return !errors.Is(err, ErrNoFallback)
}

// StageFallback stages a candidate as [Linker.Stage] does, but reads the keys of each volume
// that the fallback has from there. Paths in the generation, targets and links stay the same,
// the watches and [Linker.Volumes] those of the mounted configuration. The error is
// [ErrNoFallback] if no volume is there.
func (l *Linker) StageFallback(k Known) (c Candidate, err error) {
	err = untilStill(func() error {
		rd, err := l.reader.InFallback(l.config.Volumes, l.config.Fallback)
		if err != nil {
			return err
		}
		return l.takeFrom(rd, &k, &c, nil)
	})
	return c, err
}

// takeFrom makes a candidate of what a reader finds elsewhere. found, if it isn't nil, gets the
// keys.
func (l *Linker) takeFrom(rd *volume.Reader, k *Known, c *Candidate, found *[]volume.Key) error {
	r, err := rd.Look()
	if err != nil {
		return err
	}
	defer r.Close()
	err = l.take(r, k, c)
	if found != nil {
		*found = r.Keys
	}
	return err
}
