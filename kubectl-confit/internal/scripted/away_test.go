package scripted_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"confit/kubectl-confit/internal/scripted"
)

// TestAway: once a server is away, the kernel refuses each connection, also if the server was not yet taking any. Once it is back it takes them.
func TestAway(t *testing.T) {
	s := scripted.Start(t, nil)
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	connect := func() error {
		c, err := new(net.Dialer).DialContext(context.Background(), "tcp", at.Host)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	for range 300 {
		s.Away()
		if err := connect(); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("away: %v", err)
		}
		s.Back()
	}
	if err := connect(); err != nil {
		t.Error(err)
	}
}
