package confit

import (
	"slices"
	"testing"

	"confit/integration/internal/harness"
)

// failsTimes is a script that fails n times, and then succeeds until it is written anew.
func failsTimes(n int) string {
	return `n=$(cat "$0.count" 2>/dev/null || echo 0); echo $((n + 1)) > "$0.count"; echo "hook: attempt $((n + 1))"; [ $n -ge ` + string(rune('0'+n)) + ` ]`
}

// A validator fails for a reason that passes: it is retried, with waits that double, and in the end the mounted edit comes into
// force by itself. Only the first rejection is an error.
func TestRetry_until_it_passes(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	validator := s.write(s.path("validator"), "exit 0")
	s.line("validate sh %s {candidate}", validator)
	s.flag("--retry", "200ms")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	s.write(validator, failsTimes(3))
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.wantLogged("candidate rejected", 3)
	var waits, levels []string
	for _, e := range c.entries("candidate rejected") {
		waits, levels = append(waits, e["nextTry"]), append(levels, e["level"])
	}
	if !slices.Equal(waits, []string{"200ms", "400ms", "800ms"}) || !slices.Equal(levels, []string{"ERROR", "WARN", "WARN"}) {
		t.Errorf("the rejections say %q, next try after %q", levels, waits)
	}
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
	c.accepts(2)
	c.tells(0, "three attempts that are over", func(st report) bool {
		return st.Rejection.Attempts == 3 && st.Live.Hash == st.Mounted.Hash && st.Counters.Rejections == 3
	})
}

// Another edit in between starts over: its first rejection is an error, and its first wait the shortest.
func TestRetry_other_edit(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	s.flag("--retry", "200ms")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad1"})
	former := c.wantRejected("validate", 2)
	web.swap(keys{"text": "bad2"})
	var other entry
	c.Eventually("a rejection of the other", func() bool {
		all := c.entries("candidate rejected")
		at := slices.IndexFunc(all, func(e entry) bool { return e["hash"] != former["hash"] })
		if at >= 0 {
			other = all[at]
		}
		return at >= 0
	})
	if former["nextTry"] != "400ms" || other["nextTry"] != "200ms" || other["level"] != "ERROR" {
		t.Errorf("after %v came %v", former, other)
	}
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
}

// An edit that was reverted to the live bytes isn't tried any more.
func TestRetry_reverted(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("validate sh -c 'echo hook: $CONFIT_GENERATION; ! grep -q bad {candidate}/web/text'")
	s.flag("--retry", "200ms", "--rescan", "50ms")
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad"})
	c.wantRejected("validate", 2)
	web.swap(keys{"text": "first"})
	c.logs("mounted configuration is live again", 1)
	before := len(c.Texts("stderr", "hook: "))
	c.looksAt(web)
	c.wantCount("validations", len(c.Texts("stderr", "hook: ")), before)
	c.tells(0, "no next try", func(st report) bool { return st.Live.Hash == st.Mounted.Hash })
}
