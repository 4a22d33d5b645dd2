package scripted_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"confit/kubectl-confit/internal/scripted"
)

// TestChange: objects are created, patched, applied, updated and deleted as on a real server.
func TestChange(t *testing.T) {
	s := scripted.Start(t, nil)
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	core, err := client.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	maps, ctx, yes := core.ConfigMaps("shop"), t.Context(), true
	patch := func(kind types.PatchType, text string, o metav1.PatchOptions) (*corev1.ConfigMap, error) {
		return maps.Patch(ctx, "web", kind, []byte(text), o)
	}
	made, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{FieldManager: "jane"})
	if err != nil || made.UID == "" || made.ResourceVersion == "" || len(made.ManagedFields) != 1 || made.ManagedFields[0].Manager != "jane" {
		t.Fatalf("got %+v, %v", made, err)
	}
	if _, err = maps.Create(ctx, made, metav1.CreateOptions{}); !api.IsAlreadyExists(err) {
		t.Errorf("again: %v", err)
	}
	for kind, text := range map[types.PatchType]string{
		types.MergePatchType:          `{"data": {"a": null, "b": "2"}}`,
		types.StrategicMergePatchType: `{"metadata": {"annotations": {"x": "y"}}}`,
		types.JSONPatchType:           `[{"op": "add", "path": "/data/c", "value": "3"}]`,
	} {
		if _, err := patch(kind, text, metav1.PatchOptions{}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	const applied = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {b: '9'}\n"
	if _, err = patch(types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "confit"}); !api.IsConflict(err) {
		t.Errorf("another's field: %v", err)
	}
	if _, err = patch(types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "confit", Force: &yes, DryRun: []string{"All"}}); err != nil {
		t.Error(err)
	}
	if now := s.Get("configmaps", "shop", "web").(*corev1.ConfigMap); now.Data["b"] != "2" || now.Data["c"] != "3" || now.Annotations["x"] != "y" || now.Data["a"] != "" {
		t.Errorf("got %+v", now)
	}
	forced, err := patch(types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "confit", Force: &yes})
	if err != nil || forced.Data["b"] != "9" || forced.UID != made.UID || forced.ResourceVersion == made.ResourceVersion {
		t.Errorf("got %+v, %v", forced, err)
	}
	if _, err = maps.Update(ctx, made, metav1.UpdateOptions{}); !api.IsConflict(err) {
		t.Errorf("an old version: %v", err)
	}
	if err := maps.Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := maps.Get(ctx, "web", metav1.GetOptions{}); !api.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
}

// TestWatch: what is there, what happens, and in pages what a list has.
func TestWatch(t *testing.T) {
	s := scripted.Start(t, nil)
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	core, err := client.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		s.Apply(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"}})
	}
	first, err := core.Pods("shop").List(t.Context(), metav1.ListOptions{Limit: 2})
	if err != nil || len(first.Items) != 2 || first.Continue == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	rest, err := core.Pods("shop").List(t.Context(), metav1.ListOptions{Limit: 2, Continue: first.Continue})
	if err != nil || len(rest.Items) != 1 || rest.Continue != "" {
		t.Fatalf("got %+v, %v", rest, err)
	}
	w, err := core.Pods("shop").Watch(t.Context(), metav1.ListOptions{ResourceVersion: first.ResourceVersion, FieldSelector: "metadata.name=b"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	s.Apply(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "shop"}})
	s.Apply(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "shop", Labels: map[string]string{"x": "y"}}})
	s.Delete("pods", "shop", "b")
	got := ""
	for range 2 {
		e := <-w.ResultChan()
		got += string(e.Type) + " " + e.Object.(*corev1.Pod).Name + " "
	}
	if got != "MODIFIED b DELETED b " {
		t.Errorf("got %s", got)
	}
}
