package lines_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/linker/lines"
)

// parse works out lines of SOURCE TARGET, input SOURCE or env SOURCE NAME, each followed by
// options. Of a relative source the volumes are DIR/volumes, and the state is DIR/state.
// Targets are written as they are, but for DIR.
func parse(dir string, rendered bool, written ...string) ([]*lines.Line, error) {
	var all []lines.Link
	for i, line := range written {
		words := strings.Fields(strings.ReplaceAll(line, "DIR", dir))
		l := lines.Link{Where: fmt.Sprintf("links:%d", i+1)}
		switch words[0] {
		case "input":
			l.Use, l.Source, words = lines.Input, words[1], words[2:]
		case "env":
			l.Use, l.Source, l.Name, words = lines.Variable, words[1], words[2], words[3:]
		default:
			l.Source, l.Target, words = words[0], lines.Target(words[1]), words[2:]
		}
		for _, option := range words {
			switch option {
			case "direct":
				l.Direct = true
			case "mode":
				l.Mode = 0o440
			}
		}
		all = append(all, l)
	}
	return lines.Parse(all, filepath.Join(dir, "volumes"), filepath.Join(dir, "state"), rendered)
}

// TestLiveTogether: each of these would take what another line has. The error says where the
// line stands and what to write instead; without the line all is well.
func TestLiveTogether(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/real/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", dir+"/alias"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		first, second string
		words         string
	}{
		"one target":                  {"web/a /etc/a", "tls/b /etc/a", `target "/etc/a" has a link already, for source "web/a" at links:1: give each source a target of its own`},
		"one target, written twice":   {"web/a /etc/a", "tls/b /etc//./a", `target "/etc/a" has a link already`},
		"one target by two paths":     {"web/a DIR/alias/a", "tls/b DIR/real/a", `has a link already, for source "web/a" at links:1 by the path "DIR/alias/a"`},
		"one target of a directory":   {"web/a /etc/a", "tls/ /etc/a", `target "/etc/a" has a link already`},
		"a target in another":         {"web/ /etc/web", "tls/a /etc/web/tls/a", `target "/etc/web/tls/a" is inside target "/etc/web", which is a link itself, for source "web/" at links:1: write a path outside of it`},
		"a target in one by a link":   {"web/ DIR/alias/x", "tls/a DIR/real/x/a", `is inside target "DIR/alias/x"`},
		"many targets in another":     {"web/ /etc/web", "tls/* /etc/web/", `target "/etc/web" is inside target "/etc/web"`},
		"one variable":                {"env web/a LEVEL", "env tls/b LEVEL", `variable "LEVEL" has a key already, for source "web/a" at links:1: give each key a variable of its own`},
		"one place in a generation":   {"web/a /etc/a", "/web/a /etc/b", `source "/web/a" would stand where source "web/a" at links:1 stands in a generation, at "web/a": mount one of the two elsewhere`},
		"a place in another":          {"web/ /etc/web/", "/web/sub/a /etc/b", `source "/web/sub/a" would stand where source "web/" at links:1 stands`},
		"a place in another's, input": {"web/a /etc/a", "input /web/a", `would stand where source "web/a" at links:1 stands`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := parse(dir, false, tt.first); err != nil || len(got) != 1 {
				t.Errorf("the first alone: %v", err)
			}
			if _, err := parse(dir, false, tt.second); err != nil {
				t.Errorf("the second alone: %v", err)
			}
			_, err := parse(dir, false, tt.first, tt.second)
			if words := "links:2: "; err == nil || !strings.HasPrefix(err.Error(), words) || !strings.Contains(err.Error(), strings.ReplaceAll(tt.words, "DIR", dir)) {
				t.Errorf("error %v, want %s%s", err, words, tt.words)
			}
		})
	}
}

// TestLiveTogether_holds: the line is named whose target is inside another, where that comes later, too.
func TestLiveTogether_holds(t *testing.T) {
	_, err := parse("/none", false, "tls/a /etc/web/tls/a", "web/ /etc/web")
	if want := `links:1: target "/etc/web/tls/a" is inside target "/etc/web", which is a link itself, for source "web/" at links:2: write a path outside of it`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestTargetsOfOthers: no target is in its own volume, among the volumes or in the state
// directory, whatever links lead there.
func TestTargetsOfOthers(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"volumes/web", "state", "etc"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"alias": "state", "etc/mounted": "../volumes"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for written, words := range map[string]string{
		"web/a DIR/state/a":           `is inside the state directory "DIR/state"`,
		"web/a DIR/state":             `is inside the state directory`,
		"web/a DIR/alias/sub/a":       `is inside the state directory`,
		"web/* DIR/alias/":            `is inside the state directory`,
		"web/a DIR/volumes/other/a":   `is inside the volumes "DIR/volumes"`,
		"web/a DIR/etc/mounted/x/a":   `is inside the volumes`,
		"web/a DIR/volumes/web/b":     `is inside its own volume "DIR/volumes/web"`,
		"/srv/config/a /srv/config/b": `is inside its own volume "/srv/config"`,
	} {
		_, err := parse(dir, false, written)
		if err == nil || !strings.HasPrefix(err.Error(), "links:1: target ") || !strings.Contains(err.Error(), strings.ReplaceAll(words, "DIR", dir)) ||
			!strings.HasSuffix(err.Error(), ": write a path outside of it") {
			t.Errorf("%s: error %v, want that the target %s", written, err, words)
		}
	}
	for _, written := range []string{"web/a DIR/statement", "web/a DIR/etc/state/a", "web/a DIR/alias"} {
		if _, err := parse(dir, false, written); err != nil {
			t.Errorf("%s: %v", written, err)
		}
	}
}

// TestSaysWhatToWrite: a line that means nothing is refused by where it stands and what is
// written there, and told what to write. All that is wrong is said at once.
func TestSaysWhatToWrite(t *testing.T) {
	refused := map[string]string{
		"../a /etc/a":               "leaves the volumes: write VOLUME/KEY, or an absolute path",
		"web/..data/a /etc/a":       "leads through ..data, which is the kubelet's: leave it out",
		"web/a etc/a":               "is not absolute: write the path that the app opens, from / on",
		"/etc/a web/a":              "the source comes first, write link web/a /etc/a",
		"web/a /etc/":               `is a directory: write the file, such as "/etc/a"`,
		"web/* /etc":                `takes the keys of a pattern: end it in a slash, "/etc/"`,
		"web/ /":                    `is the root directory: write the path that the app opens`,
		"web/*.conf /":              `is the root directory: write the path that the app opens`,
		"web/a /":                   `is the root directory: write the path that the app opens`,
		"web/*/ /etc/":              `is a pattern for directories: write a pattern for keys, such as "web/*/*"`,
		"web/[a /etc/":              `is not a pattern: close every [, or put \ in front of it`,
		"web/**/x /etc/":            `** is no pattern: write "web/" for all keys below it`,
		"web/{a,b} /etc/":           "web/{a,b}",
		"./ /etc/x":                 "names no volume: write VOLUME/KEY",
		"web/a /etc/.confit-kept-a": "has a name that confit gives to what it keeps: write another path",
		"web/a /etc/a mode":         "",
		"web/a /etc/a mode direct":  "can't have the option mode: a direct key has no copy, set defaultMode of its volume",
		"{rendered} /etc/a":         `names no file: write one below it, or "{rendered}/" for all`,
		"{rendered}/a /etc/a":       "nothing is rendered: write a line render COMMAND",
		".rendered/a /etc/a":        "is where confit puts what is rendered: mount the volume elsewhere",
		"env web/a A=B":             "is no name of a variable: write one without =, such as LOG_LEVEL",
		"env NAME web/a":            "the source comes first, write env web/a NAME",
		"env web/a A_*":             `write the name out, or "web/a/" for all keys below it`,
		"env web/* A":               `is for many keys: write one * for the key's name, such as "APP_*"`,
		"env web/a CONFIT_X":        "has a meaning of its own for confit or the app: write another name",
		"env web/a LISTEN_FDS":      "has a meaning of its own",
		"env web/a NOTIFY_SOCKET":   "has a meaning of its own",
	}
	var all []string
	for written, words := range refused {
		_, err := parse("/none", false, written)
		if words == "" {
			if err != nil {
				t.Errorf("%s: %v", written, err)
			}
			continue
		}
		all = append(all, written)
		if err == nil || !strings.HasPrefix(err.Error(), "links:1: ") || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: error %v, want %q", written, err, words)
		}
	}
	got, err := parse("/none", false, append(all, "web/good /etc/good")...)
	for i := range all {
		if where := fmt.Sprintf("links:%d: ", i+1); !strings.Contains(err.Error(), where) {
			t.Errorf("%s: nothing is said of %s", where, all[i])
		}
	}
	if last := got[len(got)-1]; last.Target != "/etc/good" {
		t.Errorf("the good line is %+v", last)
	}
}
