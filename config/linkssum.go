package config

import (
	"errors"
	"io/fs"
	"os"
)

// LinksNow is what LinksRead would be now. A file that is gone counts as a
// change. Nothing is known while a file can't be read, or where the links came
// through a pipe.
func (c *Config) LinksNow() (sum LinksSum, known bool) {
	for _, name := range c.linksNames {
		info, err := os.Stat(name)
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return sum, false
		}
	}
	known = true
	sum = readLinksFiles(c.linksNames, "", func(string, []byte) {}, func(err error) { known = known && errors.Is(err, fs.ErrNotExist) })
	return sum, known
}
