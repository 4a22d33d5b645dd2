package kube

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFind: a kubeconfig says where, and in which namespace, also within a
// pod.
func TestFind(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	file := filepath.Join(t.TempDir(), "config")
	text := `{"apiVersion": "v1", "kind": "Config", "current-context": "x",
		"clusters": [{"name": "c", "cluster": {"server": "https://example.com:6443"}}],
		"contexts": [{"name": "x", "context": {"cluster": "c", "namespace": "prod"}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Find(file, "")
	if err != nil || c.Config.Host != "https://example.com:6443" || c.Namespace != "prod" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := Find(file, "stage"); err != nil || c.Namespace != "stage" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Find(file+"-", ""); err == nil {
		t.Error("a kubeconfig that isn't there was read")
	}
}

// TestKinds: what isn't a request that failed is nothing to ask again for.
func TestKinds(t *testing.T) {
	if KindOf(os.ErrNotExist) != Final || After(os.ErrNotExist) != 0 {
		t.Error("an error of another kind is to be tried again")
	}
}
