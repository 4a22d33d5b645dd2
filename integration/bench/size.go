package main

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
)

// size measures the binary. A binary that needs a C library or carries symbols would be another product: it is refused.
func (b *bench) size(int) ([]row, error) {
	if err := b.checkStatic(); err != nil {
		return nil, err
	}
	ours, err := os.Stat(b.confit)
	if err != nil {
		return nil, err
	}
	r := row{"binary, static, stripped", binaryBytes, float64(ours.Size()), alone, "", budget{value, 4.7e6}}
	if path, err := exec.LookPath("tini-static"); err == nil { // Debian's package tini has both
		if info, err := os.Stat(path); err == nil {
			r.Yard, r.Yardstick = float64(info.Size()), "tini-static"
		}
	}
	return []row{r}, nil
}

func (b *bench) checkStatic() error {
	file, err := os.Open(b.confit)
	if err != nil {
		return err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("the binary is not static: build it with make build")
		}
	}
	if f.Section(".symtab") != nil {
		return errors.New("the binary is not stripped: build it with make build")
	}
	return nil
}
