package confit

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
)

// Every kind of edit of one volume, served by a real nginx afterwards, with one reload for one swap.
func TestSwap_nginx(t *testing.T) {
	tests := []struct {
		name          string
		before, after keys // page → text
	}{
		{"edit_one_key", keys{"a": "1", "b": "1"}, keys{"a": "2", "b": "1"}},
		{"edit_ten_keys", pages(10, "old"), pages(10, "new")},
		{"add", keys{"a": "1"}, keys{"a": "1", "b": "1"}},
		{"add_first", keys{}, keys{"a": "1"}},
		{"remove", keys{"a": "1", "b": "1"}, keys{"a": "1"}},
		{"remove_last", keys{"a": "1"}, keys{}},
		{"rename", keys{"a": "1"}, keys{"z": "1"}},
		{"all_at_once", keys{"a": "1", "b": "1", "c": "1"}, keys{"a": "2", "c": "1", "d": "1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newNginx(t)
			web := s.volume("web")
			s.flag("--validate", "nginx -t -q -e stderr -c {candidate}/web/nginx.conf", "--stop-signal", "QUIT")
			web.swap(s.site("conf.d", pageKeys(test.before)))
			c := s.start(s.nginx()...)
			c.serves("nothing", "404 Not Found") // nginx is up
			c.servesAll(test.before)
			web.swap(s.site("conf.d", pageKeys(test.after)))
			c.servesAll(test.after)
			for name := range test.before {
				if _, kept := test.after[name]; !kept {
					c.serves(name, "404 Not Found")
				}
			}
			c.wantLogged("app reloaded", 1)
			c.wantLogged("app started", 1)
		})
	}
}

func pages(n int, text string) keys {
	k := keys{}
	for i := range n {
		k[fmt.Sprintf("page%d", i)] = text
	}
	return k
}

func pageKeys(texts keys) keys {
	k := keys{}
	for name, text := range texts {
		maps.Copy(k, page(name, text))
	}
	return k
}

func (c *confit) servesAll(texts keys) {
	c.t.Helper()
	for name, text := range texts {
		c.serves(name, text)
	}
}

// Each kind of link makes something else of nested keys: a link for each key, or one for the directory.
func TestSwap_nested(t *testing.T) {
	for name, end := range map[string]string{"a_link_each": "/", "one_link": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.volume("web")
			s.line("link web/ %s%s", s.target("web"), end)
			s.line("reload signal:HUP")
			web.swap(keys{"a": "a1", "sub/b": "b1", "sub/deep/c": "c1", "gone/d": "d1"})
			c := s.start(app()...)
			c.Says("ready", 1)
			s.wantFiles(keys{"web/a": "a1", "web/sub/b": "b1", "web/sub/deep/c": "c1", "web/gone/d": "d1"})
			web.swap(keys{"a": "a1", "sub/b": "b2", "sub/deep/c": "c2", "sub/new": "n1"})
			c.Says("signal HUP", 1)
			c.Eventually("the removed key being away", func() bool { return !exists(s.target("web/gone/d")) })
			s.wantFiles(keys{"web/a": "a1", "web/sub/b": "b2", "web/sub/deep/c": "c2", "web/sub/new": "n1"})
		})
	}
}

// Two volumes are two swaps: each of them reaches the app, whichever comes first.
func TestSwap_two_volumes(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web, tls := s.volume("web"), s.volume("tls")
	s.line("link web/a %s", s.target("a"))
	s.line("link tls/k %s", s.target("k"))
	s.line("reload signal:HUP")
	web.swap(keys{"a": "a1"})
	tls.swap(keys{"k": "k1"})
	c := s.start(app("-print", s.target("a")+","+s.target("k"))...)
	c.Says("ready", 1)
	web.swap(keys{"a": "a2"})
	c.Says("read a2", 1)
	tls.swap(keys{"k": "k2"})
	c.Says("read k2", 1)
	web.swap(keys{"a": "a3"})
	tls.swap(keys{"k": "k3"})
	c.Says("read k3", 1)
	c.Says("read a3", 1)
	if reloads := len(c.Texts("stdout", "signal HUP")); reloads > 4 {
		t.Errorf("4 swaps made %d reloads", reloads)
	}
}

// A projected volume is one swap for all its sources, so it is one reload with all of them new.
func TestSwap_projected(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	all := s.volume("all")
	s.line("link all/config/app.conf %s", s.target("app.conf"))
	s.line("link all/tls/ %s/", s.target("tls"))
	s.line("link all/labels %s", s.target("labels"))
	s.line("reload signal:HUP")
	sources := func(n string) keys {
		return keys{"config/app.conf": "conf" + n, "tls/tls.crt": "crt" + n, "tls/tls.key": "key" + n, "labels": "labels" + n}
	}
	all.swap(sources("1"))
	files := []string{s.target("app.conf"), s.target("tls/tls.crt"), s.target("tls/tls.key"), s.target("labels")}
	c := s.start(app("-print", strings.Join(files, ","))...)
	c.Says("ready", 1)
	all.swap(sources("2"))
	for _, name := range []string{"conf2", "crt2", "key2", "labels2"} {
		c.Says("read "+name, 1)
	}
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
}

// A volume that isn't written by the kubelet, as in compose: files in a directory, replaced one by one.
func TestSwap_plain_volume(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	plain := s.mkdir("volumes", "plain")
	s.line("link plain/*.conf %s/", s.target("conf.d"))
	s.line("reload signal:HUP")
	s.write(plain+"/a.conf", "a1")
	c := s.start(app("-print", s.target("conf.d/a.conf"))...)
	c.Says("ready", 1)
	s.replace(plain+"/a.conf", "a2")
	c.Says("read a2", 1)
	s.write(plain+"/b.conf", "b1")
	c.Says("signal HUP", 2)
	s.wantFiles(keys{"conf.d/a.conf": "a2", "conf.d/b.conf": "b1"})
}

// An absolute source outside of --volumes is a volume like any other.
func TestSwap_absolute_source(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	elsewhere := newVolume(t, s.mkdir("srv", "cfg"))
	s.line("link %s/a.conf %s", elsewhere.dir, s.target("a.conf"))
	s.line("reload signal:HUP")
	elsewhere.swap(keys{"a.conf": "first"})
	c := s.start(app("-print", s.target("a.conf"))...)
	c.Says("ready", 1)
	elsewhere.swap(keys{"a.conf": "second"})
	c.Says("read second", 1)
}

// A volume whose directory is replaced by another one goes on being watched, even after it was away for a while.
func TestSwap_volume_replaced(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "signal:HUP")
	s.line("rescan 200ms")
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	if err := os.Rename(web.dir, s.path("volumes", "old")); err != nil {
		t.Fatal(err)
	}
	web = s.volume("web")
	web.swap(keys{"a": "second"})
	c.Says("read second", 1)
	web.swap(keys{"a": "third"})
	c.Says("read third", 1)
}

// A direct key isn't copied: the target leads into the volume. A change of it is a reload all the same.
func TestSwap_direct(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/big %s direct", s.target("big"))
	s.line("reload signal:HUP")
	web.swap(keys{"big": "first"})
	c := s.start(app("-print", s.target("big"))...)
	c.Says("ready", 1)
	if to, err := os.Readlink(s.target("big")); err != nil || to != web.dir+"/..data/big" {
		t.Errorf("the target points at %q (%v), want the volume's ..data", to, err)
	}
	web.swap(keys{"big": "second"})
	c.Says("read second", 1)
}
