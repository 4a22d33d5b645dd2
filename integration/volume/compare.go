package volume

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// difference is what a payload changes in the directory that is in force.
type difference struct {
	bytes bool     // some key is new or has other bytes, or there is no directory yet
	gone  []string // paths, directories included, that the payload does not have
}

// any tells whether a swap is needed.
func (d difference) any() bool {
	return d.bytes || len(d.gone) > 0
}

// compare finds what p changes in the directory old; "" means that there is none. Step 3.
func compare(p Payload, old string) (difference, error) {
	if old == "" {
		return difference{bytes: true}, nil
	}
	gone, err := missing(p, old)
	if err != nil {
		return difference{}, err
	}
	for _, key := range p.keys() {
		differs, err := changed(filepath.Join(old, key), p[key].Data)
		if err != nil || differs {
			return difference{bytes: differs, gone: gone}, err
		}
	}
	return difference{gone: gone}, nil
}

// missing returns the paths below old that p has neither as a key nor as a directory of one. No old directory is no path.
func missing(p Payload, old string) ([]string, error) {
	wanted := map[string]bool{".": true}
	for key := range p {
		for path := key; !wanted[path]; path = filepath.Dir(path) {
			wanted[path] = true
		}
	}
	var gone []string
	err := filepath.WalkDir(old, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(old, path)
		if err == nil && !wanted[name] {
			gone = append(gone, name)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return gone, err
}

// changed tells whether the file path is missing or holds other bytes than data.
func changed(path string, data []byte) (bool, error) {
	present, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && !bytes.Equal(present, data), err
}
