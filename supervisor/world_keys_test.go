package supervisor

import (
	"fmt"
	"maps"
	"strconv"

	"confit/linker"
	"confit/status"
	"confit/supervisor/app"
)

// files are what a content holds: some keys are the same in others, or missing.
func (c content) files() map[linker.Key]linker.Hash {
	files := map[linker.Key]linker.Hash{"own": {1, byte(c.number), byte(c.number >> 8)}}
	for _, n := range []int{2, 3, 5} {
		if rest := c.number % n; rest > 0 {
			files[linker.Key("modulo-"+strconv.Itoa(n))] = linker.Hash{2, byte(rest)}
		}
	}
	if c.invalid {
		delete(files, "own")
	}
	return files
}

// changesBetween lists what differs in two contents.
func changesBetween(before, to map[linker.Key]linker.Hash) (list []linker.Change) {
	all := maps.Clone(before)
	maps.Copy(all, to)
	for key := range all {
		if before[key] != to[key] {
			list = append(list, linker.Change{Key: key, Sum: to[key], Was: before[key]})
		}
	}
	return list
}

// filesOf are the files of a generation; number 0: there is none.
func filesOf(number int, hash string) map[linker.Key]linker.Hash {
	if number == 0 {
		return map[linker.Key]linker.Hash{}
	}
	low, _ := strconv.ParseUint(hash[:2], 16, 8)
	high, _ := strconv.ParseUint(hash[2:4], 16, 8)
	return content{number: int(high<<8 | low)}.files()
}

// checkKeys holds that what the status says of keys is what differs from the
// accepted ones, whatever was accepted since.
func (w *world) checkKeys(s state) {
	leaving := s.shown() == phase(app.Stopping) || s.shown() == done || s.isEnding() || s.degraded != "" // then it takes no answer any more
	if m := s.mounted; m != nil && !leaving {
		files := w.seen.files()
		if m.Hash != "" {
			files = filesOf(1, m.Hash)
		}
		w.wantKeys("mounted", m.Keys, files)
	}
	if r := s.shownRejection(); r != nil && r.Hash != "" {
		w.wantKeys("rejection", r.Keys, filesOf(1, r.Hash))
	}
}

func (w *world) wantKeys(what string, keys map[string]status.Sum, files map[linker.Key]linker.Hash) {
	want := sums(changesBetween(filesOf(w.state.accepted().Number, w.state.accepted().Hash.Hex()), files))
	if !maps.Equal(keys, want) {
		w.fatalf("the status says of %s: %s, want %s", what, fmt.Sprint(keys), fmt.Sprint(want))
	}
}
