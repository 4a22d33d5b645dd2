package cluster_test

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/internal/scripted"
	"confit/kubectl-confit/pods"
)

var web = pods.Object{Kind: pods.ConfigMap, Name: "web"}

func configMap(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: meta("web"), Data: map[string]string{"a": text}}
}

// patient is a client with patience for so long, and what it says.
func patient(t *testing.T, s *scripted.Server, long time.Duration) (*cluster.Client, chan string) {
	said := make(chan string, 100)
	return connectWith(t, s, cluster.Patience{For: long, Say: func(line string) { said <- line }}), said
}

// soon is a context that ends a test before it hangs.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// answers has the next requests answered with these codes, one after the other.
func answers(s *scripted.Server, of string, codes ...int) {
	var lock sync.Mutex
	s.Refuse(func(verb, resource, _ string) (code int) {
		lock.Lock()
		defer lock.Unlock()
		if verb+" "+resource == of && len(codes) > 0 {
			code, codes = codes[0], codes[1:]
		}
		return code
	})
}

// TestAway: a request waits for a server that is away, and that is said once, and when it is over.
func TestAway(t *testing.T) {
	s := scripted.Start(t, script, configMap("1"))
	c, said := patient(t, s, 0)
	s.Away()
	ended := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := c.Object(soon(t), web)
			ended <- err
		}()
	}
	if line, want := <-said, `^The API server doesn't answer: .+; trying again until \d\d:\d\d:\d\d$`; !regexp.MustCompile(want).MatchString(line) {
		t.Errorf("got %s, want %s", line, want)
	}
	if !c.IsAway() || c.Lost() == 0 {
		t.Error("it is there?")
	}
	s.Back()
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if line := <-said; line != "The API server answers again" || len(said) > 0 || c.IsAway() {
		t.Errorf("got %s, and %d lines more", line, len(said))
	}
}

// TestAway_mute: a server that takes no connection and refuses none is said, too.
func TestAway_mute(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mute.Close() }()
	said := make(chan string, 1)
	c := connectWith(t, scripted.Start(t, script), cluster.Patience{Say: func(line string) { said <- line }}, "--server", "https://"+mute.Addr().String())
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go func() { _, _ = c.Object(ctx, web) }()
	if line := <-said; line != "The API server doesn't answer: there is no connection; trying again" {
		t.Errorf("got %s", line)
	}
}

// TestAway_answers: which answers are none, and after an outage who says no is asked again.
func TestAway_answers(t *testing.T) {
	for name, codes := range map[string][]int{
		"cut": {scripted.Cut}, "unavailable": {http.StatusServiceUnavailable}, "gateway": {http.StatusBadGateway, http.StatusGatewayTimeout},
		"busy": {http.StatusTooManyRequests}, "broken": {http.StatusInternalServerError, http.StatusInternalServerError}, "unready": {scripted.Cut, http.StatusForbidden, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted.Start(t, script, configMap("1"))
			c, _ := patient(t, s, 0)
			answers(s, "get configmaps", codes...)
			if _, err := c.Object(soon(t), web); err != nil || s.Requests()["get configmaps"] != len(codes)+1 {
				t.Errorf("got %v after %d requests", err, s.Requests()["get configmaps"])
			}
		})
	}
	for _, code := range []int{http.StatusForbidden, http.StatusNotImplemented} {
		s := scripted.Start(t, script, configMap("1"))
		c, _ := patient(t, s, 0)
		answers(s, "get configmaps", code)
		if _, err := c.Object(soon(t), web); err == nil || cluster.IsAway(err) {
			t.Errorf("%d: got %v", code, err)
		}
	}
}

// TestAway_over: patience ends, or there is none.
func TestAway_over(t *testing.T) {
	s := scripted.Start(t, script, configMap("1"))
	for _, long := range []time.Duration{time.Nanosecond, time.Second} {
		c, _ := patient(t, s, long)
		s.Away()
		if _, err := c.Object(soon(t), web); !cluster.IsAway(err) {
			t.Errorf("%v: got %v", long, err)
		}
		s.Back()
	}
	s.Away()
	if _, err := connect(t, s).Object(soon(t), web); !cluster.IsAway(err) {
		t.Errorf("got %v", err)
	}
}

// TestAway_writes: what was never sent is sent again, and what may have happened isn't.
func TestAway_writes(t *testing.T) {
	s := scripted.Start(t, script)
	c, said := patient(t, s, 0)
	create := func(name string) error {
		_, err := c.Core().ConfigMaps("shop").Create(soon(t), &corev1.ConfigMap{ObjectMeta: meta(name)}, metav1.CreateOptions{})
		return err
	}
	s.Away()
	ended := make(chan error, 1)
	go func() { ended <- create("other") }()
	<-said
	s.Back()
	if err := <-ended; err != nil || s.Get("configmaps", "shop", "other") == nil {
		t.Error(err)
	}
	for _, code := range []int{scripted.Cut, scripted.Lost, http.StatusServiceUnavailable} {
		answers(s, "create configmaps", code)
		before := s.Requests()["create configmaps"]
		if err := create("web"); !cluster.IsAway(err) || s.Requests()["create configmaps"] != before+1 {
			t.Errorf("%d: got %v after %v", code, err, s.Requests())
		}
		if there := s.Get("configmaps", "shop", "web") != nil; there != (code == scripted.Lost) {
			t.Errorf("%d: is it there? %v", code, there)
		}
		s.Delete("configmaps", "shop", "web")
	}
}

// TestAway_watches: both watches go on after an outage, with what has happened meanwhile.
func TestAway_watches(t *testing.T) {
	s := scripted.Start(t, script, configMap("1"), &corev1.Pod{ObjectMeta: meta("web-0")})
	c, _ := patient(t, s, 0)
	ctx, end := context.WithCancel(soon(t))
	objects, seen, synced := make(chan string, 100), make(chan string, 100), make(chan struct{})
	var watches sync.WaitGroup
	watches.Go(func() {
		_ = c.WatchObject(ctx, web, func(d *pods.Data) {
			if d == nil {
				objects <- "gone"
			} else {
				objects <- d.ResourceVersion
			}
		})
	})
	watches.Go(func() {
		_ = c.WatchPods(ctx, cluster.Selection{}, func() { close(synced) }, func(pod *corev1.Pod, _ bool) { seen <- pod.Name })
	})
	first := <-objects
	<-synced
	<-seen
	for _, change := range []func(){func() { s.Apply(configMap("2")) }, func() { s.Delete("configmaps", "shop", "web") }, func() { s.Apply(configMap("3")) }} {
		s.Away()
		change()
		s.Apply(&corev1.Pod{ObjectMeta: meta("web-1")})
		s.Back()
		if next := <-objects; next == first {
			t.Errorf("%s is told again", next)
		}
		for name := <-seen; name != "web-1"; { // others may be told again
			name = <-seen
		}
	}
	end()
	watches.Wait()
}

// TestAway_exec: a command whose connection breaks runs once more. One that breaks by itself doesn't.
func TestAway_exec(t *testing.T) {
	var runs atomic.Int32
	begun := make(chan struct{}, 10)
	s := scripted.Start(t, func(ctx context.Context, e scripted.Exec) int {
		if runs.Add(1) == 1 {
			begun <- struct{}{}
			<-ctx.Done()
		}
		return script(ctx, e)
	}, &corev1.Pod{ObjectMeta: meta("web-0")})
	c, _ := patient(t, s, 0)
	ended := make(chan error, 1)
	var r *cluster.Result
	go func() {
		var err error
		r, err = c.Exec(soon(t), cluster.Command{Pod: "web-0", Container: "nginx", Words: []string{"cat"}, Stdin: []byte("all")})
		ended <- err
	}()
	<-begun
	s.Away()
	s.Back()
	if err := <-ended; err != nil || string(r.Stdout) != "all" || runs.Load() != 2 {
		t.Errorf("got %+v, %v after %d runs", r, err, runs.Load())
	}
}
