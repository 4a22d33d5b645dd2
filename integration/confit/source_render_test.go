package confit

import (
	"strings"
	"testing"
)

// copies is a renderer that does its work.
const copies = `cp $CONFIT_CANDIDATE/web/text $CONFIT_RENDERED/out`

// rendered gives a setup a volume with its renderer in it: each swap brings its own. The app prints what was rendered, which shows the
// key text.
func (s *setup) rendered() *volume {
	s.t.Helper()
	s.line("input web/script")
	s.line("link web/text %s", s.target("text"))
	s.line("link {rendered}/out %s", s.target("out"))
	s.line("env {rendered}/VARIABLE VARIABLE optional")
	s.line("render sh {candidate}/web/script")
	s.line("reload signal:HUP")
	return s.volume("web")
}

func script(text, renderer string) keys { return keys{"text": text + "\n", "script": renderer + "\n"} }

// What a renderer does wrong rejects its candidate, by name. Nobody but hooks has seen it, and the next change is taken.
func TestSource_render_rejected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, reason string }{
		"fails":                   {copies + "; echo it is wrong; exit 3", " ended with exit 3"},
		"is_killed":               {copies + "; kill -9 $$", " ended with signal"},
		"makes_nothing":           {"true", `the renderer made no "{rendered}/out"`},
		"makes_a_directory":       {"mkdir $CONFIT_RENDERED/out", "is a directory"},
		"makes_a_FIFO":            {copies + "; mkfifo $CONFIT_RENDERED/other", `made a FIFO, "other"`},
		"is_a_FIFO":               {"mkfifo $CONFIT_RENDERED/out", `made a FIFO, "out"`},
		"links_to_shadow":         {"ln -s /etc/shadow $CONFIT_RENDERED/out", `made a symlink, "out"`},
		"links_to_a_key":          {"ln -s ../web/text $CONFIT_RENDERED/out", `made a symlink, "out"`},
		"name_with_a_newline":     {copies + "; touch \"$CONFIT_RENDERED/a\nb\"", "holds a control character"},
		"name_of_the_kubelet":     {copies + "; mkdir $CONFIT_RENDERED/..data", "two dots"},
		"changes_a_key":           {copies + "; chmod u+w $CONFIT_CANDIDATE/web/text; echo changed >>$CONFIT_CANDIDATE/web/text", `the hook changed key "web/text"`},
		"replaces_a_key":          {copies + "; rm -f $CONFIT_CANDIDATE/web/text; echo changed >$CONFIT_CANDIDATE/web/text", `the hook changed key "web/text"`},
		"changes_a_mode":          {copies + "; chmod 777 $CONFIT_CANDIDATE/web/text", `the hook changed the mode`},
		"removes_a_key":           {copies + "; rm -f $CONFIT_CANDIDATE/web/text", `the hook removed key "web/text"`},
		"removes_its_directory":   {"rm -r $CONFIT_RENDERED", "the renderer removed its directory"},
		"replaces_it_by_a_file":   {"rmdir $CONFIT_RENDERED; echo file >$CONFIT_RENDERED", "the renderer removed its directory"},
		"replaces_it_by_a_link":   {"rmdir $CONFIT_RENDERED; ln -s /etc $CONFIT_RENDERED", "the renderer removed its directory"},
		"removes_its_candidate":   {"rm -rf $CONFIT_CANDIDATE", "the hook removed"},
		"replaces_its_candidate":  {"rm -rf $CONFIT_CANDIDATE; ln -s /etc $CONFIT_CANDIDATE", "the hook changed"},
		"makes_a_bad_environment": {copies + `; printf 'a\0b' >$CONFIT_RENDERED/VARIABLE`, "it holds a NUL byte"},
		"makes_an_endless_file":   {"truncate -s 1T $CONFIT_RENDERED/out", "link or render less"},
	} {
		eachUser(t, name, func(t *testing.T, s *setup) {
			s.rejects(test.script, test.reason)
		})
	}
}

// rejects swaps to a renderer that is rejected, between two that are not.
func (s *setup) rejects(renderer, reason string) {
	s.t.Helper()
	web := s.rendered()
	s.line("rescan 200ms")
	web.swap(script("first", copies))
	c := s.start(app("-print", s.target("out"))...)
	c.Says("read first", 1)
	c.accepts(1)
	web.swap(script("second", renderer))
	if e := c.wantRejected("render", 1); !strings.Contains(e["reason"], reason) {
		s.t.Errorf("rejected because of %q, want %q", e["reason"], reason)
	}
	s.wantFiles(keys{"text": "first\n", "out": "first\n"})
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 0)
	web.swap(script("third", copies))
	c.Says("read third", 1)
	c.Eventually("only what is needed", func() bool { return len(s.leftovers()) == 0 })
}

// What a renderer as nobody makes unreadable is rejected, too, and it isn't the system's fault.
func TestSource_render_unreadable(t *testing.T) {
	for name, test := range map[string]struct{ script, reason string }{
		"a_file":        {copies + "; chmod 0 $CONFIT_RENDERED/out", `cannot read key "out"`},
		"a_directory":   {copies + "; mkdir -m 0 $CONFIT_RENDERED/dir", `cannot take up what the renderer made: directory "dir": permission denied`},
		"a_full_one":    {copies + "; mkdir -p $CONFIT_RENDERED/d/e; touch $CONFIT_RENDERED/d/e/f; chmod 0 $CONFIT_RENDERED/d/e $CONFIT_RENDERED/d", "permission denied"},
		"its_directory": {"chmod 0 $CONFIT_RENDERED", "cannot take up what the renderer made"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.runAs(nobody)
			s.rejects(test.script, test.reason)
		})
	}
}

// What a renderer does that harms nobody. What it leaves running is gone, or can't change what was taken any more.
func TestSource_render_accepted(t *testing.T) {
	t.Parallel()
	for name, renderer := range map[string]string{
		"writes_beside_the_keys": copies + "; cd $CONFIT_CANDIDATE; mkdir web/__pycache__; touch stray web/__pycache__/text.pyc",
		"writes_elsewhere":       copies + "; echo elsewhere >$CONFIT_RENDERED/../../../elsewhere",
		"ten_thousand_files":     copies + "; mkdir $CONFIT_RENDERED/d; cd $CONFIT_RENDERED/d; seq 10000 | xargs touch",
		"links_hard":             "ln $CONFIT_CANDIDATE/web/text $CONFIT_RENDERED/out",
		"leaves_a_child":         copies + "; sleep 7654321 &",
		"leaves_a_writer":        copies + "; chmod u+w $CONFIT_RENDERED/out; { sleep 7654321; echo later; } >>$CONFIT_RENDERED/out &",
		"leaves_its_output_open": copies + "; setsid sleep 7654321 >/dev/null 2>&1 &",
		"empty_directories":      copies + "; mkdir -p $CONFIT_RENDERED/a/b/c",
	} {
		eachUser(t, name, func(t *testing.T, s *setup) {
			web := s.rendered()
			s.line("rescan 200ms")
			web.swap(script("first", copies))
			c := s.start(app("-print", s.target("out"))...)
			c.Says("read first", 1)
			c.accepts(1)
			web.swap(script("second", renderer))
			c.Says("read second", 1)
			c.accepts(2)
			c.Eventually("only what is needed", func() bool { return len(s.leftovers()) == 0 })
			s.wantFiles(keys{"text": "second\n", "out": "second\n"})
		})
	}
}
