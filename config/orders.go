package config

import (
	"fmt"

	"confit/linker"
)

// order is what confit is asked to do.
func order(read func(text string) error) value { return value{read, func() string { return "" }} }

// mode is a switch to what confit is asked to do.
func mode(c *Config, m Mode) value {
	return order(func(text string) error {
		on, err := parseBool(text)
		switch {
		case err != nil:
		case on:
			c.Mode = m
		case c.Mode == m: // a stronger source switches it off
			c.Mode = Run
		}
		return err
	})
}

// installation is where to install.
func installation(c *Config) value {
	return order(func(text string) error {
		if text == "" {
			return mode(c, Install).read("false")
		}
		c.Mode = Install
		return location(&c.Install, false).read(text)
	})
}

// statusForm is a form, or the true and false of a switch.
func statusForm(c *Config) value {
	return order(func(text string) error {
		if c.StatusForm = ""; text == "json" || text == "text" {
			c.StatusForm, text = text, "true"
		}
		if mode(c, Status).read(text) != nil {
			return fmt.Errorf("%q is no form of a status: write json or text", text)
		}
		return nil
	})
}

// seeding is a directory to copy, and where to. Several add up.
func seeding(c *Config) value {
	return order(func(text string) error {
		pair, err := linker.ParseSeed(text)
		c.Mode, c.Seed = Seed, append(c.Seed, pair)
		return err
	})
}

// stdin is what stands for volumes that come on standard input.
const stdin = "-"

// trying is the directory of the volumes to try.
func trying(c *Config) value {
	return order(func(text string) error {
		c.Mode, c.Try = Try, ""
		switch text {
		case stdin:
			return nil
		case "":
			return fmt.Errorf("an empty path: write a directory that is laid out as --volumes is, or - for what comes on stdin")
		}
		return location(&c.Try, false).read(text)
	})
}
