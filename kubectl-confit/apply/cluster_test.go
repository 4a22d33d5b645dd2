//go:build fleet

package apply

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/cluster"
)

// TestAPIServer asks a real server what becomes of owners, conflicts and versions, and what it refuses.
func TestAPIServer(t *testing.T) {
	begin := func(s *site) { s.kubectl("", "create", "namespace", s.client.Namespace) }
	cases["immutable"], cases["refused"], cases["type"] = testImmutable, testRefused, testType
	run(t, cluster.Start(t).Kubeconfig("admin", ""), filepath.Join(os.Getenv(cluster.Variable), "kubectl"), begin)
}

// testType: what the server says of a Secret has none of its values.
func testType(s *site) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: web}\ntype: Opaque\n"
	s.kubectl(secret+"stringData: {a: one}\n", "apply", "--validate=false", "-f", "-")
	objects := s.read(secret + "data: {a: dHdv}\n" + "---\n" + configMap("a: one"))
	objects[0].Given.Object["type"] = "kubernetes.io/tls"
	if err := s.prepare(objects); err == nil || strings.Contains(err.Error(), "dHdv") || !strings.Contains(err.Error(), "secret/web") {
		s.Errorf("got %v", err)
	}
	if s.there() != nil {
		s.Error("one of two objects was applied")
	}
}

func testImmutable(s *site) {
	s.apply(configMap("a: one"))
	objects := s.read(configMap("a: two") + "immutable: true\n")
	if err := s.prepare(objects); err != nil {
		s.Fatal(err)
	}
	if err := objects[0].undoable(); err == nil {
		s.Error("it can be put back?")
	}
	s.apply(configMap("a: two") + "immutable: true\n")
	objects = s.read(configMap("a: three") + "immutable: true\n")
	if err := s.prepare(objects); err == nil || !strings.Contains(err.Error(), "immutable") {
		s.Errorf("got %v", err)
	}
}

// testRefused: what the server refuses, and nothing of the file is applied.
func testRefused(s *site) {
	objects := s.read(configMap("a: one") + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: No_Name}\n")
	err := s.prepare(objects)
	if err == nil || !strings.Contains(err.Error(), "cannot apply secret/No_Name") {
		s.Errorf("got %v", err)
	}
	if s.there() != nil {
		s.Error("one of two objects was applied")
	}
}
