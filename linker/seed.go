package linker

import (
	"io"

	"confit/linker/seed"
)

// SeedPair is a directory of the image and where it is copied to, see [seed.Pair].
type SeedPair = seed.Pair

// ParseSeed reads DIR=TO. Its error says what to write instead.
func ParseSeed(text string) (SeedPair, error) { return seed.Parse(text) }

// Seed copies directories of the image, so that links can be made there, see [seed.Run].
func Seed(w io.Writer, pairs []SeedPair) error { return seed.Run(w, pairs) }
