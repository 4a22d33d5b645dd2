package process

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// checkLoader finds out whether a program lacks its loader, as one that is built for another C
// library does: execve(2) fails as if the program were missing.
func checkLoader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	name := loaderOf(f)
	if name == "" {
		return nil
	}
	if err := executable(name); err != nil {
		return fmt.Errorf("its loader is %q: %w", name, err)
	}
	return nil
}

// layout is where elf(5) has what leads to the name of the loader: in the head of a program the
// place of its table, and the size and number of its entries; in an entry the place and size of
// what that stands for. A place and a size are numbers of so many bytes.
type layout struct{ table, entry, count, place, size, bytes int }

// layouts are those of programs of 32 and of 64 bits, by EI_CLASS.
var layouts = map[byte]layout{
	1: {table: 28, entry: 42, count: 44, place: 4, size: 16, bytes: 4},
	2: {table: 32, entry: 54, count: 56, place: 8, size: 32, bytes: 8},
}

const (
	elfClass   = 4  // EI_CLASS
	elfHead    = 64 // of 64 bits; that of 32 is shorter
	isLoader   = 3  // PT_INTERP, the first number of an entry
	maxEntries = 64
)

// loaderOf is the name of the program that loads another one of this machine; "" for one that needs
// none.
func loaderOf(f io.ReaderAt) string {
	head, entry := make([]byte, elfHead), make([]byte, elfHead)
	_, err := f.ReadAt(head, 0)
	at, known := layouts[head[elfClass]]
	if err != nil || !known || !isELF(head) {
		return ""
	}
	table, size := readNumber(head[at.table:], at.bytes), readNumber(head[at.entry:], 2)
	for i := range min(readNumber(head[at.count:], 2), maxEntries) {
		if _, err := f.ReadAt(entry, table+i*size); err != nil || readNumber(entry, 4) != isLoader {
			continue
		}
		name := make([]byte, min(max(readNumber(entry[at.size:], at.bytes), 0), maxFirstLine))
		_, _ = f.ReadAt(name, readNumber(entry[at.place:], at.bytes))
		name, _, _ = bytes.Cut(name, []byte{0})
		return string(name)
	}
	return ""
}

// readNumber reads one of so many bytes, in the machine's order.
func readNumber(b []byte, size int) int64 {
	switch size {
	case 2:
		return int64(binary.NativeEndian.Uint16(b))
	case 4:
		return int64(binary.NativeEndian.Uint32(b))
	}
	return int64(binary.NativeEndian.Uint64(b))
}
