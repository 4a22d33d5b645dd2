package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"confit/integration/internal/harness"
	"confit/integration/volume"
)

const (
	address    = "http://127.0.0.1:8080/" // free: the network is the container's own
	configFile = "/etc/nginx/nginx.conf"
)

// patience is how long one thing may take, which takes milliseconds.
const patience = 20 * time.Second

// write makes the current configuration the content of the volume, as the kubelet does.
func (s *show) write() error {
	return volume.Write(s.image.in("/confit/web"), volume.Payload{path.Base(configFile): {Data: []byte(s.conf)}})
}

// change replaces a line of the configuration, shows it and swaps the volume.
func (s *show) change(before, after string) error {
	if strings.Count(s.conf, before) != 1 {
		return fmt.Errorf("the configuration does not hold %q once:\n%s", before, s.conf)
	}
	s.conf, s.workers = strings.Replace(s.conf, before, after, 1), s.container.childrenOf(s.pid)
	s.command("kubectl edit configmap web")
	s.diff(before, after)
	return s.write()
}

// line is the directive that serves a page.
func line(page string) string { return fmt.Sprintf(`return 200 "%s\n";`, page) }

// misspelt is that directive with a slip of the pen.
func misspelt(line string) string { return strings.Replace(line, "return", "retrun", 1) }

// served waits until nginx serves a page.
func (s *show) served(page string) error {
	var got string
	var err error
	wait := s.until(fmt.Sprintf("the page %q", page), func() bool {
		got, err = get()
		return err == nil && got == page
	})
	if wait != nil {
		return fmt.Errorf("%w; the last answer was %q (%v)", wait, got, err)
	}
	return nil
}

// reloaded waits until nginx serves a page and nothing else: for a moment after a reload its old workers answer, too.
func (s *show) reloaded(page string) error {
	if err := s.served(page); err != nil {
		return err
	}
	err := s.until("the end of nginx's old workers", func() bool {
		now := s.container.childrenOf(s.pid)
		return !slices.ContainsFunc(s.workers, func(pid int) bool { return slices.Contains(now, pid) })
	})
	if err != nil {
		return err
	}
	return s.stillServed(page)
}

// stillServed checks that nginx serves a page now.
func (s *show) stillServed(page string) error {
	if got, err := get(); err != nil || got != page {
		return fmt.Errorf("the page served is %q, want still %q (%v)", got, page, err)
	}
	return nil
}

// showPage shows the page that was found.
func (s *show) showPage(page string) { s.command("curl "+address, page) }

// client connects anew for each request: a kept connection would stay with an old worker.
var client = http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func get() (string, error) {
	response, err := client.Get(address)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return strings.TrimSpace(string(body)), err
}

// sameNginx checks that nginx was neither restarted nor replaced.
func (s *show) sameNginx() error {
	pid, err := s.container.nginxPID()
	if err != nil {
		return err
	}
	if pid != s.pid || s.container.says(`msg="app started"`) {
		return fmt.Errorf("nginx is process %d and not %d any more", pid, s.pid)
	}
	s.note(fmt.Sprintf("nginx is still process %d.", pid))
	return nil
}

// until polls until something is true: for as long as patience, the demo and the container last.
func (s *show) until(what string, ok func() bool) error {
	ctx, cancel := context.WithTimeoutCause(s.ctx, patience, fmt.Errorf("it took longer than %v", patience))
	defer cancel()
	gone := false
	if !harness.PollEvery(ctx, 10*time.Millisecond, func() bool {
		running := s.container.Alive() // before ok, so that what was written last is seen
		if ok() {
			return true
		}
		gone = !running
		return gone
	}) {
		return fmt.Errorf("%w, waiting for: %s", context.Cause(ctx), what)
	}
	if gone {
		return fmt.Errorf("confit ended (%v) before this came true: %s", s.container.State(), what)
	}
	return nil
}
