package linker

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestVolumes_patterns: which keys of each volume the lines take, and where these stand in a
// generation. It needs no volume to be mounted, but for knowing where one begins.
func TestVolumes_patterns(t *testing.T) {
	for name, tt := range map[string]struct {
		lines string // one behind the other; DIR is the fixture
		want  string // the volumes: PATH PREFIX: PATTERN …
	}{
		"one key":                    {"web/nginx.conf a", "volumes/web web: nginx.conf"},
		"one in a directory":         {"web/conf.d/a.conf a", "volumes/web web: conf.d/a.conf"},
		"a glob":                     {"web/*.conf d/", "volumes/web web: *.conf"},
		"a deeper glob":              {"web/conf.d/*/[a-c]?.conf d/", "volumes/web web: conf.d/*/[a-c]?.conf"},
		"a glob with a backslash":    {`web/a\*b d/`, `volumes/web web: a\*b`},
		"a tree":                     {"web/certs/ d/", "volumes/web web: certs/"},
		"a whole directory":          {"web/certs/ d", "volumes/web web: certs/"},
		"a whole volume":             {"web/ d", "volumes/web web: ./"},
		"a tree of a whole volume":   {"web/ d/", "volumes/web web: ./"},
		"input":                      {"input web/a; input web/*.tmpl; input web/parts/", "volumes/web web: *.tmpl a parts/"},
		"env":                        {"env web/LEVEL LEVEL; env web/vars/ APP_*; env web/*.env *", "volumes/web web: *.env LEVEL vars/"},
		"options":                    {"web/a a local; web/b b direct; web/c c optional; web/d/ d direct", "volumes/web web: a b c d/"},
		"once each, in order":        {"web/b b; web/a a; input web/a; env web/a A; web/ all; input web/", "volumes/web web: ./ a b"},
		"several volumes":            {"web/b b; tls/k k; web/a a", "volumes/web web: a b|volumes/tls tls: k"},
		"the directory of volumes":   {"nginx.conf a; *.conf d/", "volumes : *.conf nginx.conf"},
		"beside a volume":            {"nginx.conf a; web/a b", "volumes : nginx.conf|volumes/web web: a"},
		"an absolute key":            {"DIR/srv/conf/a.conf a", "srv/conf DIR/srv/conf: a.conf"},
		"an absolute glob":           {"DIR/srv/conf/*.conf d/", "srv/conf DIR/srv/conf: *.conf"},
		"an absolute directory":      {"DIR/srv/conf/ d", "srv/conf DIR/srv/conf: ./"},
		"an absolute key of a mount": {"DIR/mnt/deep/er/a a; DIR/mnt/x/ x", "mnt DIR/mnt: deep/er/a x/"},
		"absolute, below volumes":    {"DIR/volumes/web/a a; web/b b", "volumes/web web: a b"},
		"nested":                     {"plain/ p; plain/tls/k k; plain/tls/sub/*.crt c/", "volumes/plain plain: ./|volumes/plain/tls plain/tls: k sub/*.crt"},
		"rendered":                   {"input web/a.tmpl; {rendered}/a a; {rendered}/d/ d", "volumes/web web: a.tmpl"},
		"nothing but rendered":       {"{rendered}/a a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			h.config.Render = true
			for line := range strings.SplitSeq(strings.ReplaceAll(tt.lines, "DIR", h.dir), "; ") {
				h.config.Links = append(h.config.Links, lineOf(h.path("etc"), strings.Fields(line)))
			}
			for _, atomic := range []string{"../mnt", "plain/tls"} {
				h.write(atomic, "k", "1")
			}
			h.open()
			_, _ = h.tryStage() // most keys are missing
			if got := h.patterns(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// patterns are those of the last look.
func (h *fixture) patterns() string {
	var list []string
	for _, v := range h.linker.Volumes() {
		at, _ := filepath.Rel(h.dir, v.Path)
		prefix := strings.Replace("/"+v.Prefix, h.dir, "DIR", 1)
		list = append(list, fmt.Sprintf("%s %s: %s", at, strings.TrimPrefix(prefix, "/"), strings.Join(v.Patterns, " ")))
	}
	return strings.Join(list, "|")
}

// TestVolumes_prefix: behind the prefix a key of the status has the path that it has in its volume.
func TestVolumes_prefix(t *testing.T) {
	h := newFixture(t, "web/ web/", "top top", "plain/ plain")
	outside := h.path("srv", "conf")
	h.config.Links = append(h.config.Links, Link{Source: outside + "/*", Target: Target(h.path("etc", "srv") + "/")})
	h.write("web", "a", "1", "sub/b", "2")
	h.write("../srv/conf", "c", "3")
	h.plain("", "top", "4")
	h.plain("plain", "d/e", "5")
	h.open()
	h.adopt()
	var got []string
	keys := h.note.Ladder.InForce().Sums.ByKey()
	for _, v := range h.linker.Volumes() {
		for _, key := range []string{"a", "sub/b", "c", "top", "d/e"} {
			if _, there := keys[strings.TrimPrefix(v.Prefix+"/"+key, "/")]; there {
				got = append(got, v.Path+" "+key)
			}
		}
	}
	web, plain := h.path("volumes/web"), h.path("volumes/plain")
	if want := []string{web + " a", web + " sub/b", h.path("volumes") + " top", plain + " d/e", outside + " c"}; !reflect.DeepEqual(got, want) || len(keys) != len(want) {
		t.Errorf("got %q, want %q, of the keys %v", got, want, keys)
	}
}

// TestVolumes_torn: a volume that was torn down is the one that it was, also where it began below the first directory.
func TestVolumes_torn(t *testing.T) {
	h := newFixture(t, "deep/er/a a", "deep/er/b b optional", "deep/x x optional")
	h.write("deep/er", "a", "1")
	h.open()
	h.adopt()
	const want = "volumes/deep/er deep/er: a b|volumes/deep deep: x"
	if got := h.patterns(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	h.must(os.Remove(h.path("volumes/deep/er", "..data")))
	_, _ = h.tryStage()
	if got := h.patterns(); got != want {
		t.Errorf("torn down: got %s, want %s", got, want)
	}
}
