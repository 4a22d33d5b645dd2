package kube

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
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

// TestNoLog: what the client would log is in its errors. Here an answer is cut
// off.
func TestNoLog(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("{"))
	}))
	defer server.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = stderr }()
	client, err := rest.UnversionedRESTClientFor(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{
		NegotiatedSerializer: serializer.NewCodecFactory(runtime.NewScheme()), GroupVersion: &schema.GroupVersion{},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Get().AbsPath("/").Do(t.Context()).Error(); err == nil {
		t.Error("an answer that was cut off was taken")
	}
	klog.Error("a word")
	klog.Flush()
	w.Close()
	if said, err := io.ReadAll(r); err != nil || len(said) > 0 {
		t.Errorf("the client said %q, %v", said, err)
	}
}

// TestKinds: what isn't a request that failed is nothing to ask again for.
func TestKinds(t *testing.T) {
	if KindOf(os.ErrNotExist) != Final || After(os.ErrNotExist) != 0 {
		t.Error("an error of another kind is to be tried again")
	}
}
