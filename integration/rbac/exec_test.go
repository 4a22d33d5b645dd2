//go:build fleet

package rbac

import "strings"

// execOnly is how the policy's answer begins.
const execOnly = "ValidatingAdmissionPolicy 'confit-exec-only'"

// testExec: who may look may run confit --status=json, and nothing else.
func testExec(s *server) {
	s.until("the policy is in force", func() bool {
		return strings.Contains(s.asks("status", "exec", "web", "--", "id"), execOnly)
	})
	for _, each := range []struct{ user, command string }{
		{"status", "confit --status=json"},
		{"status", "/.confit/confit --status=json"},
		{"status", "confit --state /run/other --status=json"},
		{"in-place", "confit --try -"},
		{"in-place", "confit --try - -- nginx -g off"}, // the app's words, which a trial doesn't run
		{"in-place", "confit --state /run/other --try -"},
		{"both", "id"},
	} {
		if said := s.asks(each.user, execs(each.command)...); !passed(said) {
			s.Errorf("%s, %s: %s", each.user, each.command, said)
		}
	}
	for _, each := range []struct{ user, command string }{
		{"status", "sh"},
		{"status", "confit"},
		{"status", "confit --status=json --links /etc/shadow"},
		{"status", "confit --links /etc/shadow --status=json"},
		{"status", "confit --state /run/other --links /etc/shadow --status=json"},
		{"status", "confit --status=json --state /run/other"},
		{"status", "confit --state --status=json"},
		{"status", "/tmp/confit --status=json"},
		{"status", "sh --status=json"},
		{"status", "confit --try -"},
		{"status", "confit --validate id --try -"},
		{"in-place", "confit --status=json"},
		{"in-place", "confit --validate id --try -"},
		{"in-place", "confit --try - --validate id"},
		{"in-place", "confit --try - id"},
		{"in-place", "confit --try"},
		{"in-place", "confit --try /etc"},
		{"in-place", "confit -- id"},
		{"in-place", "confit"},
	} {
		if said := s.asks(each.user, execs(each.command)...); !strings.Contains(said, execOnly) {
			s.Errorf("%s, %s: %s", each.user, each.command, said)
		}
	}
}

func execs(command string) []string {
	return append([]string{"exec", "web", "--stdin", "--"}, strings.Fields(command)...)
}

// passed is what the server says of a pod without a node, once all rules have let the request pass.
func passed(said string) bool { return strings.Contains(said, "does not have a host assigned") }
