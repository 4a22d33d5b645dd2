package config

import "confit/linker"

// seeding is a directory to copy, and where to. Several add up.
type seeding struct{ c *Config }

func (v *seeding) read(text string) error {
	pair, err := linker.ParseSeed(text)
	v.c.Mode, v.c.Seed = Seed, append(v.c.Seed, pair)
	return err
}

func (v *seeding) show() string { return "" }
