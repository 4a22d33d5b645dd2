package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// sums is the file of checksums.
const sums = "SHA256SUMS"

// writeSums writes SHA256SUMS of all that was made, as sha256sum --check reads it.
func (r release) writeSums() error {
	names, err := r.made()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, name := range names {
		data, err := os.ReadFile(r.path(name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum(data), name)
	}
	return r.write(sums, b.Bytes())
}

func (r release) checkSums() error {
	cmd := exec.Command("sha256sum", "--check", "--strict", "--quiet", sums)
	cmd.Dir = r.out
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot verify %s: %w\n%s", sums, err, out)
	}
	return nil
}

// made lists what was made, but for these files.
func (r release) made(except ...string) (names []string, err error) {
	entries, err := os.ReadDir(r.out)
	for _, e := range entries {
		if e.Name() != sums && !slices.Contains(except, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
