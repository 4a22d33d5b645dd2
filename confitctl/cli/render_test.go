package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRenderLimits: a template that needs too much is one line, not the end of
// the container.
func TestRenderLimits(t *testing.T) {
	template := filepath.Join(t.TempDir(), "app.tmpl")
	for _, tt := range []struct{ text, flags, want string }{
		{`{{range 1000000000}}{{end}}`, "--deadline 100ms", "it takes longer than 100ms"},
		{`{{$x := repeat 1000 "x"}}{{range until 1000}}{{$x = print $x $x}}{{end}}`, "--memory 64", "it needs more than 64 MiB of memory"},
		{`{{$d := dict}}{{range until 1000000}}{{$_ := set $d (toString .) (repeat 1000 "x")}}{{end}}`, "--memory 64", "it needs more than 64 MiB of memory"},
		{`{{range until 1000000000}}{{end}}`, "", "app.tmpl:1:8: "},
	} {
		if err := os.WriteFile(template, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, stderr := run(t, append(strings.Fields("render "+tt.flags), template)...)
		if code != 1 || out != "" || !strings.HasPrefix(stderr, "confitctl: cannot render") || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s%s; want %s", tt.text, code, out, stderr, tt.want)
		}
	}
}

// TestAllowed: what the container has left bounds it, too.
func TestAllowed(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		memory  uint64
		left    int64
		limited bool
		want    uint64
		cut     bool
	}{
		{256 * mib, 0, false, 256 * mib, false}, {256 * mib, 32 * mib, true, 24 * mib, true}, {8 * mib, 32 * mib, true, 8 * mib, false}, {256 * mib, 0, true, least, true},
	} {
		if got, why := allowed(tt.memory, tt.left, tt.limited); got != tt.want || (why != "") != tt.cut {
			t.Errorf("%+v: %d%s", tt, got, why)
		}
	}
}
