package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spf13/pflag"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/internal/scripted"
	"confit/kubectl-confit/pods"
)

func meta(name string, labels ...string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: name, Namespace: "shop", Labels: map[string]string{}}
	for _, l := range labels {
		m.Labels[l] = l
	}
	return m
}

// connect makes a client as a command line makes it.
func connect(t *testing.T, s *scripted.Server) *cluster.Client {
	t.Helper()
	return connectWith(t, s, cluster.Patience{})
}

func connectWith(t *testing.T, s *scripted.Server, p cluster.Patience, args ...string) *cluster.Client {
	t.Helper()
	f := cluster.NewFlags()
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.AddTo(set)
	if err := set.Parse(append(args, "--kubeconfig", s.Kubeconfig(), "-n", "shop")); err != nil {
		t.Fatal(err)
	}
	c, err := f.Connect(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// script does what its command says.
func script(ctx context.Context, e scripted.Exec) int {
	switch e.Words[0] {
	case "echo":
		fmt.Fprint(e.Stdout, strings.Join(e.Words[1:], " "))
		fmt.Fprint(e.Stderr, e.Container)
		return 3
	case "cat":
		_, _ = io.Copy(e.Stdout, e.Stdin)
	case "yes":
		for ctx.Err() == nil {
			if _, err := fmt.Fprintln(e.Stdout, strings.Repeat("y", 1<<16)); err != nil {
				break
			}
		}
	case "sleep":
		<-ctx.Done()
	}
	return 0
}

// TestExec: both protocols bring streams and the exit code, and what is too much or too slow ends.
func TestExec(t *testing.T) {
	for _, protocol := range []string{"websocket", "spdy"} {
		t.Run(protocol, func(t *testing.T) {
			s := scripted.Start(t, script, &corev1.Pod{ObjectMeta: meta("web-0")})
			if protocol == "spdy" {
				s.Refuse(func(verb, resource, _ string) int {
					if verb == "get" && resource == "pods/exec" {
						return 403
					}
					return 0
				})
			}
			c := connect(t, s)
			run := func(cmd cluster.Command) (*cluster.Result, error) {
				cmd.Pod, cmd.Container = "web-0", "nginx"
				return c.Exec(t.Context(), cmd)
			}
			r, err := run(cluster.Command{Words: []string{"echo", "a", "b c"}})
			if err != nil || r.Code != 3 || string(r.Stdout) != "a b c" || string(r.Stderr) != "nginx" {
				t.Errorf("got %+v, %v", r, err)
			}
			long := strings.Repeat("x", 3<<20)
			if r, err = run(cluster.Command{Words: []string{"cat"}, Stdin: []byte(long)}); err != nil || r.Code != 0 || string(r.Stdout) != long {
				t.Errorf("got %d bytes, %v", len(r.Stdout), err)
			}
			if _, err = run(cluster.Command{Words: []string{"yes"}}); !errors.Is(err, cluster.ErrTooMuch) {
				t.Errorf("got %v", err)
			}
			if _, err = run(cluster.Command{Words: []string{"sleep"}, Timeout: time.Millisecond}); !errors.Is(err, cluster.ErrTooSlow) {
				t.Errorf("got %v", err)
			}
			want := map[string]int{"websocket": 0, "spdy": 3}[protocol] // the one that is too slow may not come that far
			if n := s.Requests()["create pods/exec"]; n < want || protocol == "websocket" && n > 0 {
				t.Errorf("%d by SPDY", n)
			}
		})
	}
}

// TestExec_refused: one line says which right is missing, or what else is wrong.
func TestExec_refused(t *testing.T) {
	s := scripted.Start(t, script, &corev1.Pod{ObjectMeta: meta("web-0")})
	c := connect(t, s)
	code := 403
	s.Refuse(func(_, resource, _ string) int {
		if resource == "pods/exec" {
			return code
		}
		return 0
	})
	_, err := c.Exec(t.Context(), cluster.Command{Pod: "web-0", Container: "nginx", Words: []string{"confit"}})
	want := `cannot run confit in container "nginx" of pod "web-0": the right to create pods/exec is missing: pods "web-0" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "shop"`
	if err == nil || err.Error() != want || !cluster.IsForbidden(err) {
		t.Errorf("got %v, want %s", err, want)
	}
	code = 0
	if _, err = c.Exec(t.Context(), cluster.Command{Pod: "web-1", Container: "nginx", Words: []string{"confit"}}); err == nil || !strings.Contains(err.Error(), `"web-1" not found`) {
		t.Errorf("got %v", err)
	}
}

// TestExec_many: no more than 16 run at once, and who waits can be called off.
func TestExec_many(t *testing.T) {
	begun, end := make(chan struct{}, 100), make(chan struct{})
	s := scripted.Start(t, func(context.Context, scripted.Exec) int {
		begun <- struct{}{}
		<-end
		return 0
	}, &corev1.Pod{ObjectMeta: meta("web-0")})
	c := connect(t, s)
	ended := make(chan error, 40)
	for range 40 {
		go func() {
			_, err := c.Exec(t.Context(), cluster.Command{Pod: "web-0", Container: "nginx", Words: []string{"confit"}, Timeout: time.Minute})
			ended <- err
		}()
	}
	for range 16 {
		<-begun
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Exec(ctx, cluster.Command{Pod: "web-0", Container: "nginx", Words: []string{"confit"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := s.Requests()["get pods/exec"]; n != 16 || len(begun) > 0 {
		t.Errorf("%d were begun", n)
	}
	close(end)
	for range 40 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestFind: kinds by any of their names, and all errors at once.
func TestFind(t *testing.T) {
	s := scripted.Start(t, script,
		&corev1.ConfigMap{ObjectMeta: meta("web"), Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0xff}}},
		&corev1.Service{ObjectMeta: meta("web")}, &corev1.Secret{ObjectMeta: meta("tls"), Data: map[string][]byte{"key": []byte("k")}})
	list, err := connect(t, s).Find(t.Context(), []string{"cm/web", "secrets/tls"})
	if err != nil || len(list) != 2 || list[0].Data.Object != (pods.Object{Kind: pods.ConfigMap, Name: "web"}) || list[0].Data.Sums["a"] != pods.Sum([]byte("1")) ||
		list[0].Data.Sums["b"] != pods.Sum([]byte{0xff}) || list[1].Data.Sums["key"] != pods.Sum([]byte("k")) {
		t.Errorf("got %+v, %v", list, err)
	}
	_, err = connect(t, s).Find(t.Context(), []string{"cm/gone", "secret/gone", "service/web"})
	want := `cannot read configmap/gone: configmaps "gone" not found
cannot read secret/gone: secrets "gone" not found
cannot read service/web: it is neither a ConfigMap or Secret nor a pod or workload`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for args, want := range map[string]string{
		"web":     `there is no need to specify a resource type as a separate argument`,
		"thing/x": `the server doesn't have a resource type "thing"`,
	} {
		if _, err = connect(t, s).Find(t.Context(), []string{args}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
		t.Log(err)
	}
}
