package rbac

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	roleName = regexp.MustCompile(`(?m)^metadata: {name: (\S+)}$`)
	ruleLine = regexp.MustCompile(`(?m)^  - {apiGroups: \[.+?\], resources: \[(.+?)\], verbs: \[(.+?)\]}`)
)

// TestPage holds that the page's table has each ClusterRole of rbac.yaml, with all its rights.
func TestPage(t *testing.T) {
	page, err1 := os.ReadFile("../../examples/kubectl/README.md")
	file, err2 := os.ReadFile("../../examples/kubectl/rbac.yaml")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	found := 0
	for _, role := range strings.Split(string(file), "\n---\n") {
		if !strings.Contains(role, "\nkind: ClusterRole\n") {
			continue
		}
		row := "| `" + roleName.FindStringSubmatch(role)[1] + "` | " + rightsIn(role) + " |"
		if found++; !strings.Contains(string(page), row) {
			t.Errorf("the page doesn't have\n%s", row)
		}
	}
	if found != strings.Count(string(page), "| `confit-") || found < 5 {
		t.Errorf("the file has %d ClusterRoles, and the page others", found)
	}
}

// rightsIn are a role's, as the page has them. confit's own verbs allow nothing.
func rightsIn(role string) string {
	var rights []string
	for _, rule := range ruleLine.FindAllStringSubmatch(role, -1) {
		resource := rule[1]
		if strings.HasPrefix(resource, "deployments") {
			resource = "workloads"
		}
		verbs := slices.DeleteFunc(strings.Split(rule[2], ", "), func(v string) bool { return strings.HasPrefix(v, "confit-") })
		rights = append(rights, resource+": "+strings.Join(verbs, ", "))
	}
	return strings.Join(rights, "; ")
}
