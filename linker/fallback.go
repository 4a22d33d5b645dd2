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

// StageFallback stages a candidate as [Linker.Stage] does. But it reads the keys
// of each volume that the fallback has from there. A volume is what the first
// element of a path below Config.Volumes names. A directory without a key is none:
// a missing, optional ConfigMap is mounted as an empty one. Paths in the
// generation, targets and links stay the same. A volume with a direct key stays
// the mounted one, as its target leads there.
//
// The error is [ErrNoFallback] if no volume is there, and an [*Invalid] if no
// candidate can be made of those that are. The watches and [Linker.Volumes] stay those
// of the mounted configuration. What was seen is of the fallback.
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
