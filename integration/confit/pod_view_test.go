package confit

import (
	"testing"

	"confit/integration/internal/harness"
)

// An entrypoint that asks whether it may write to its configuration gets the answer that a key by subPath gives, as root, too: links
// lead through a view of the state directory that is read-only.
func TestView(t *testing.T) {
	t.Parallel()
	for name, user := range map[string]int{"root": 0, "another user": imageUser} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.volume("web").swap(keys{"a": "first"})
			s.line("link web/a %s", s.target("a"))
			s.line("view %s", s.path("state/view"))
			s.line("probation 0s")
			s.mkdir("state")
			s.bake()
			s.box.UID = user
			s.box.Mounts = []harness.Mount{harness.Tmpfs(s.state, "mode=0777"), harness.Bind(s.state, s.path("state/view")), harness.ReadOnly(s.path("state/view"))}
			const script = `if [ -w "$0" ]; then echo "may write"; else echo "may not write"; fi; echo "has $(cat "$0")"; if (echo x >"$0") 2>/dev/null; then echo "writes"; else echo "can't write"; fi
				trap 'echo "has $(cat "$0")"' HUP; trap exit TERM; while :; do sleep 0.1; done`
			c := s.start("sh", "-c", script, s.target("a"))
			c.Says("may not write", 1)
			c.Says("has first", 1)
			s.volume("web").swap(keys{"a": "second"})
			c.Says("has second", 1)
			c.Says("can't write", 1)
			c.stops(0)
		})
	}
}

// A view that is none would lead every link astray.
func TestView_refused(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.line("view %s", s.mkdir("elsewhere"))
	c := s.start(app()...)
	c.Ends(71)
	c.wantMention("cannot lead links through " + `"` + s.path("elsewhere") + `"`)
}

// A try knows the links that lead through a view.
func TestView_try(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	s.line("view %s", s.path("state/view"))
	s.mkdir("state")
	s.bake()
	c := s.startCommand(s.command("--try", s.tries("web", keys{"text": "good"}))...)
	c.Ends(0)
	wantHolds(t, c.Text("stdout"), s.target("text")+"  (is there)\n")
}
