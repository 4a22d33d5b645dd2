package process

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestLines: in whatever pieces a text comes, its lines are the same, and none is
// too long.
func TestLines(t *testing.T) {
	t.Parallel()
	long, wide := strings.Repeat("x", maxLine), strings.Repeat("ä", maxLine/2)
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"nothing":        {"", nil},
		"lines":          {"one\n\ntwo\r\n", []string{"one", "", "two\r"}},
		"partial":        {"one\ntwo", []string{"one", "two"}},
		"binary":         {"\x00\xff\n\xfe", []string{"\x00\xff", "\xfe"}},
		"to the brim":    {long + "\n" + long, []string{long, long}},
		"too long":       {long + "y\n" + long + long + "z", []string{long, "y", long, long, "z"}},
		"not in a rune":  {"x" + wide + "\n", []string{"x" + wide[:maxLine-2], "ä"}},
		"no runes":       {strings.Repeat("\xbf", maxLine+1), []string{strings.Repeat("\xbf", maxLine-4), strings.Repeat("\xbf", 5)}},
		"only newlines":  {"\n\n", []string{"", ""}},
		"much":           {strings.Repeat("0123456789\n", 1_000), slices.Repeat([]string{"0123456789"}, 1_000)},
		"one huge write": {strings.Repeat(long, 5), slices.Repeat([]string{long}, 5)},
	} {
		for _, size := range []int{1, 7, 4099, 32 << 10, 1 << 20} {
			var got []string
			var out bytes.Buffer
			l := Lines{To: &out, Record: func(line string) []byte {
				got = append(got, line)
				return []byte(line + "$")
			}}
			for piece := range slices.Chunk([]byte(tt.text), size) {
				if n, err := l.Write(piece); n != len(piece) || err != nil {
					t.Fatalf("%s: wrote %d of %d, %v", name, n, len(piece), err)
				}
				if len(l.held) > maxLine {
					t.Fatalf("%s: %d bytes are held", name, len(l.held))
				}
			}
			if tt.text != "" && !strings.HasSuffix(tt.text, "\n") {
				_, _ = l.Write([]byte("\n")) // as Output ends the last line
			}
			if want := strings.Join(append(tt.want, ""), "$"); out.String() != want {
				t.Errorf("%s in pieces of %d: wrote %d bytes, want %d", name, size, out.Len(), len(want))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s in pieces of %d: %d lines, %.30q…, want %d", name, size, len(got), got, len(tt.want))
			}
		}
	}
}
