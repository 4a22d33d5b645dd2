package confit

import (
	"os"
	"strings"
	"testing"
)

// newRelinked is a setup that looks at its links often, with one key.
func newRelinked(t *testing.T) (*setup, *volume) {
	t.Helper()
	s, web := newProved(t)
	s.line("rescan 100ms")
	web.swap(keys{"text": "first"})
	return s, web
}

// wantLinks waits until the links files were seen to be changed, or as they were, for the nth time, and checks that nothing else
// has come of it.
func (c *confit) wantLinks(changed bool, n int) {
	c.t.Helper()
	message := map[bool]string{true: "links file changed: restart the container to apply it", false: "links file as at the start again"}[changed]
	c.logs(message, n)
	c.tells(0, message, func(r report) bool { return (r.LinksChanged != nil) == changed })
	c.wantLogged(message, n)
	c.wantLogged("app started", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 0)
}

// A links file that is edited is said once, and so is each other edit; a restart takes it up. Written again with the same bytes it
// is as it was.
func TestLinks_edited(t *testing.T) {
	t.Parallel()
	s, web := newRelinked(t)
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	text, err := os.ReadFile(s.path("links"))
	if err != nil {
		t.Fatal(err)
	}
	s.replace(s.path("links"), string(text)+"link web/new "+s.target("new")+"\n")
	c.wantLinks(true, 1)
	s.replace(s.path("links"), string(text)+"\n")
	c.wantLinks(true, 2)
	s.replace(s.path("links"), string(text))
	c.wantLinks(false, 1)
	if err := os.Remove(s.path("links")); err != nil {
		t.Fatal(err)
	}
	c.wantLinks(true, 3)
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
}

// Of the same bytes, touched, written anew, replaced, or with files beside them that nobody reads, nothing is said.
func TestLinks_touched(t *testing.T) {
	t.Parallel()
	s, web := newRelinked(t)
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	text, err := os.ReadFile(s.path("links"))
	if err != nil {
		t.Fatal(err)
	}
	for i, write := range []func(path, content string){
		func(path, content string) { // as an editor does that writes in place; one that truncates first changes the links for a moment
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = file.WriteString(content)
				_ = file.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		s.replace,
		func(path, _ string) {
			if err := os.Chmod(path, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		write(s.path("links"), string(text))
		web.swap(keys{"text": strings.Repeat("next ", i+1)}) // two looks, and the links come after the first
		c.Says("read next", 2*i+1)
		web.swap(keys{"text": strings.Repeat("next ", i+1) + "again"})
		c.Says("read next", 2*i+2)
	}
	c.wantLogged("links file changed: restart the container to apply it", 0)
	c.tells(0, "no change of the links", func(r report) bool { return r.LinksChanged == nil })
}

// Links in a ConfigMap that is mounted as a directory: a key more and an edited one count, a swap to the same bytes doesn't.
func TestLinks_in_a_volume(t *testing.T) {
	t.Parallel()
	s, _ := newRelinked(t)
	links := s.configMap("links")
	text := strings.Join(s.lines, "\n") + "\n"
	links.swap(keys{"10-web": text})
	argv := s.command()
	argv[2] = links.dir
	c := s.startCommand(append(append(argv, "--"), s.printer()...)...)
	c.Says("ready", 1)
	links.swap(keys{"10-web": text, "20-more": "probation 1s\n"})
	c.wantLinks(true, 1)
	links.swap(keys{"10-web": text})
	c.wantLinks(false, 1)
	links.swap(keys{"10-web": text + "probation 1s\n"})
	c.wantLinks(true, 2)
}
