package config

import "fmt"

// stdin is what stands for volumes that come on standard input.
const stdin = "-"

// trying is the directory of the volumes to try.
type trying struct{ c *Config }

func (v *trying) read(text string) error {
	v.c.Mode, v.c.Try = Try, ""
	switch text {
	case stdin:
		return nil
	case "":
		return fmt.Errorf("an empty path: write a directory that is laid out as --volumes is, or - for what comes on stdin")
	}
	return (&location{&v.c.Try, false}).read(text)
}

func (v *trying) show() string { return "" }
