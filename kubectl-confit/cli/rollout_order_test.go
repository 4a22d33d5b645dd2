package cli

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"confit/confitctl/rollout"
	"confit/status"
)

func decode(t *testing.T, format, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil { // JSON is YAML, too
		t.Fatalf("%s: %v in\n%s", format, err, text)
	}
}

// TestRollout_orders: each verb is stored, over a race that is lost, and shows the rollout as it is then.
func TestRollout_orders(t *testing.T) {
	const tried = "3fa1b2c4d5e6"
	for line, tt := range map[string]struct {
		before func(*rolling)
		shows  string
		holds  func(rollout.Record) bool
	}{
		"pause": {shows: "paused since ", holds: func(r rollout.Record) bool { return r.Paused && r.PausedAt > 0 }},
		"resume": {before: func(r *rolling) { r.store(r.record.Pause(1)) }, shows: "a canary is on its way",
			holds: func(r rollout.Record) bool { return !r.Paused }},
		"abort": {shows: "by a person at step abort", holds: func(r rollout.Record) bool { return r.Revisions[0].Rejection(tried) != nil }},
		"retry --hash 3fa1": {before: func(r *rolling) { r.says("web-0", tried, rollout.RolledBack, "verify") }, shows: "canary",
			holds: func(r rollout.Record) bool { return r.Revisions[0].Rejection(tried) == nil }},
		"promote":               {shows: tried + "  stable", holds: func(r rollout.Record) bool { return r.Revisions[0].Stable == tried }},
		"promote --hash 3fa1b2": {shows: tried + "  stable", holds: func(r rollout.Record) bool { return r.Revisions[0].Trial.Free }},
	} {
		r := newRolling(t, "web-0")
		r.begins("web-0", tried)
		if tt.before != nil {
			tt.before(r)
		}
		lost := false
		r.Refuse(func(verb, resource, _ string) int {
			if first := verb == "update" && resource == "leases" && !lost; first {
				lost = true
				return http.StatusConflict
			}
			return 0
		})
		verb, flags, _ := strings.Cut(line, " ")
		got := r.run(append([]string{"rollout", verb, "web"}, strings.Fields(flags)...)...)
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, tt.shows) || !tt.holds(r.stored()) {
			t.Errorf("%s: got %+v, stored is %+v", line, got, r.stored().View())
		}
		if n := r.Requests()["update leases"]; n != 2 {
			t.Errorf("%s: %d updates", line, n)
		}
	}
}

// TestRollout_refused: what the record, the server or the rights don't allow is one line, and nothing is stored.
func TestRollout_refused(t *testing.T) {
	code := func(which string, code int) func(*rolling) {
		return func(r *rolling) {
			r.Refuse(func(verb, resource, _ string) int {
				if verb+" "+resource == which {
					return code
				}
				return 0
			})
		}
	}
	for _, tt := range []struct {
		line, want string
		before     func(*rolling)
	}{
		{"abort web", "cannot abort: no hash is tried", nil},
		{"promote web --hash 99", `cannot promote "99": no such hash is tried`, nil},
		{"retry web --hash 3f", `cannot retry "3f": no such hash was rejected or lost a canary`, nil},
		{"status wiki", `cannot get lease "wiki" in namespace "shop": there is none; the manifest has to make it`, nil},
		{"pause wiki", `cannot get lease "wiki" in namespace "shop": there is none; the manifest has to make it`, nil},
		{"status web", `cannot get lease "web" in namespace "shop": forbidden; allow "get" on resource "leases" of group "coordination.k8s.io", resourceNames ["web"]: `,
			code("get leases", 403)},
		{"status web --wait", `cannot get lease "web" in namespace "shop": forbidden; allow "get"`, code("get leases", 403)},
		{"resume web", `cannot get lease "web" in namespace "shop": forbidden; allow "get"`, code("get leases", 403)},
		{"pause web", `cannot update lease "web" in namespace "shop": forbidden; allow "update" on resource "leases"`, code("update leases", 403)},
		{"status web", `cannot get lease "web" in namespace "shop": `, code("get leases", 501)},
		{"status web", `lease "web" in namespace "shop": cannot read the rollout: invalid character 'x'`, func(r *rolling) { r.write("x") }},
		{"pause web", "kubectl annotate lease web -n shop confit/rollout- removes it", func(r *rolling) { r.write("x") }},
		{"status web", "cannot read the rollout: it is of version 2, this confitctl knows version 1; update this one", func(r *rolling) { r.write(`{"version": 2}`) }},
		{"status web --kubeconfig gone", "cannot read the kubeconfig: ", nil},
	} {
		r := newRolling(t, "web-0")
		if tt.before != nil {
			tt.before(r)
		}
		args := append([]string{"rollout"}, strings.Fields(tt.line)...)
		if !strings.Contains(tt.line, "--kubeconfig") {
			args = r.args(args)
		}
		got := call(strings.NewReader(""), args...)
		if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, tt.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: got %+v, want %s", tt.line, got, tt.want)
		}
	}
}

// TestRollout_wait: it ends when the hash is rejected, or when the time is over, and shows the rollout then.
func TestRollout_wait(t *testing.T) {
	r := newRolling(t, "web-0", "web-1")
	r.begins("web-0", "99aabbccddee")
	late := r.run("rollout", "status", "web", "--wait", "--timeout", "2s")
	const over = "kubectl-confit: the rollout isn't over after 2s; last: 0 of 1 canaries have accepted 99aabbccddee\n"
	if late.code != 1 || !strings.HasSuffix(late.stderr, over) || !strings.Contains(late.stdout, "99aabbccddee  canary  0/1") {
		t.Errorf("got %+v", late)
	}
	r.says("web-0", "99aabbccddee", rollout.Superseded, "")
	s := r.start("waiting: nobody has tried 3 yet", "rollout", "status", "lease/web", "--wait", "--hash", "3", "-o", "json")
	r.begins("web-1", "3fa1b2c4d5e6")
	s.sees("waiting: 0 of 1 canaries have accepted 3fa1b2c4d5e6")
	r.says("web-1", "3fa1b2c4d5e6", rollout.RolledBack, "verify")
	bad := s.ends()
	const why = "the rollout has failed: 3fa1b2c4d5e6 was rejected by web-1 at step verify"
	var found struct {
		Code int
		Why  string
	}
	decode(t, "json", bad.stdout, &found)
	if bad.code != 3 || !strings.HasSuffix(bad.stderr, "\nkubectl-confit: "+why+"\n") || found.Code != 3 || found.Why != why {
		t.Errorf("got %+v", bad)
	}
}

// TestRollout_stopped: a signal ends the wait.
func TestRollout_stopped(t *testing.T) {
	r := newRolling(t, "web-0")
	r.begins("web-0", "3fa1")
	s := r.start("waiting: 0 of 1", "rollout", "status", "web", "--wait")
	interrupt(t)
	if got := s.ends(); got.code != 130 || got.stdout != "" {
		t.Errorf("got %+v", got)
	}
}

// TestRollout_usage: what is wrong with a command line is said before anything is asked.
func TestRollout_usage(t *testing.T) {
	for line, want := range map[string]string{
		"undo web":                        `"undo" is no verb`,
		"status":                          `which rollout is missing: write the Lease that holds it, NAME or lease/NAME, or a workload`,
		"abort":                           `which rollout is missing: write the Lease that holds it, NAME or lease/NAME, or a workload`,
		"status lease web wiki":           `"web/wiki" can't be an object's name: `,
		"status lease/":                   `"" can't be an object's name: `,
		"pause Web":                       `"Web" can't be an object's name: `,
		"status web -o wide":              `-o is "wide": write one of go-template, go-template-file, json, jsonpath, jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, yaml`,
		"abort web -o table":              `-o is "table": write one of go-template, go-template-file, json, jsonpath, jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, yaml`,
		"status web --hash 3f":            `--hash and --timeout are for --wait: write that, too`,
		"status web --timeout 1m":         `--hash and --timeout are for --wait: write that, too`,
		"status web --wait --timeout -1s": `--timeout is -1s: write 0 or more`,
		"retry web":                       `--hash is missing: write the first digits of what to try again; kubectl confit rollout status LEASE has them`,
		"pause web --hash 3f":             `unknown flag: --hash`,
		"status web --pause":              `unknown flag: --pause`,
	} {
		r := call(strings.NewReader(""), append([]string{"rollout"}, strings.Fields(line)...)...)
		if r.code != 64 || r.stdout != "" || !strings.HasPrefix(r.stderr, "kubectl-confit: "+want) || !strings.Contains(r.stderr, "; see kubectl confit rollout ") {
			t.Errorf("%s: got %+v, want %s", line, r, want)
		}
	}
}

// TestRollout_help: each verb has a manual.
func TestRollout_help(t *testing.T) {
	for verb, use := range map[string]string{
		"": "rollout [VERB]", "status": "rollout status LEASE", "pause": "rollout pause LEASE", "resume": "rollout resume LEASE",
		"retry": "rollout retry LEASE", "promote": "rollout promote LEASE", "abort": "rollout abort LEASE",
	} {
		r := call(strings.NewReader(""), append(strings.Fields("rollout "+verb), "--help")...)
		for _, want := range []string{"\nUsage\n  kubectl confit " + use, "\nFlags\n", "\nExamples\n  kubectl confit rollout " + verb} {
			if r.code != 0 || !strings.Contains(r.stdout, want) {
				t.Errorf("%s: the help lacks %q:\n%s", verb, want, r.stdout)
			}
		}
		for line := range strings.Lines(r.stdout) {
			if !strings.Contains(line, "--") && len([]rune(line)) > 82 {
				t.Errorf("%s: wider than 80 columns: %s", verb, line)
			}
		}
	}
}

// TestRollout_nothing: an edit that every pod's validator refuses never begins. What the pods have mounted says so; without that it is
// another exit code than that of a rollout that is well.
func TestRollout_nothing(t *testing.T) {
	r := newRolling(t, "web-0", "web-1")
	wait := []string{"rollout", "status", "web", "--wait", "--begin", "1s", "-o", "json"}
	const nothing = "kubectl-confit: nothing is rolled out: nothing has begun for 1s: what every pod's validator refuses never begins; kubectl confit status says what the pods have\n"
	if got := r.run(wait...); got.code != 4 || got.stderr != nothing || !strings.Contains(got.stdout, `"code": 4`) {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{"web-0", "web-1"} {
		r.ChangePod("shop", name, func(p *corev1.Pod) {
			p.Spec.Containers[0].Command = []string{"confit", "--gate", "confitctl gate --lease web", "--", "nginx"}
		})
		of := r.replicas.Of(name, "nginx")
		of.Bring("/confit/web", r.data("web"))
		of.Reject("validate", "it ended with exit 1", "", 2)
		of.Change(func(s *status.Status) { s.Mounted.Shared = edition })
	}
	got := r.run(wait...)
	const bad = "waiting: web-0 has mounted cf8ac6c2749a\nwaiting: nobody has tried cf8ac6c2749a0c1d2e3f yet\n" +
		"kubectl-confit: the rollout has failed: web-0 has rejected it before its gate: validate: it ended with exit 1\n"
	if got.code != 3 || got.stderr != bad {
		t.Errorf("got %+v", got)
	}
}
