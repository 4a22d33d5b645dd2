package config

import (
	"fmt"

	"confit/linker"
)

// order is what confit is asked to do. A stronger source may take it back.
func order(c *Config, m Mode, read func(text string) (on bool, err error)) value {
	return value{func(text string) error {
		on, err := read(text)
		switch {
		case on:
			c.Mode = m
		case c.Mode == m && err == nil:
			c.Mode = Run
		}
		return err
	}, func() string { return "" }}
}

// installation is where to install.
func installation(c *Config) value {
	return order(c, Install, func(text string) (bool, error) { return text != "", location(&c.Install, true).read(text) })
}

// statusForm is a form, or the true and false of a switch.
func statusForm(c *Config) value {
	return order(c, Status, func(text string) (bool, error) {
		if c.StatusForm = ""; text == "json" || text == "text" {
			c.StatusForm = text
			return true, nil
		}
		on, err := parseBool(text)
		if err != nil {
			err = fmt.Errorf("%q is no form of a status: write json or text", text)
		}
		return on, err
	})
}

// seeding is a directory to copy, and where to. Several add up.
func seeding(c *Config) value {
	return order(c, Seed, func(text string) (bool, error) {
		pair, err := linker.ParseSeed(text)
		c.Seed = append(c.Seed, pair)
		return true, err
	})
}

// trying is the directory of the volumes to try, or - for what comes on standard input.
func trying(c *Config) value {
	return order(c, Try, func(text string) (bool, error) {
		switch c.Try = ""; text {
		case "-":
			return true, nil
		case "":
			return true, fmt.Errorf("an empty path: write a directory that is laid out as --volumes is, or - for what comes on stdin")
		}
		return true, location(&c.Try, false).read(text)
	})
}
