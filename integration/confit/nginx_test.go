package confit

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"testing"
	"time"
)

// nginxAddress is free in every box: each has a network of its own. A unix socket would be in the way of a restarted
// nginx that was killed.
const nginxAddress = "127.0.0.1:8080"

// newNginx is a setup for an nginx whose configuration comes from the volume web. The keys are a main file and one file a
// page, so that keys can be added and removed.
func newNginx(t *testing.T) *setup {
	t.Helper()
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Fatalf("install Debian's package nginx: %v", err)
	}
	s := newSetup(t)
	s.box.Net = true
	s.mkdir("run")
	s.line("link web/nginx.conf %s", s.target("nginx.conf"))
	s.line("link web/conf.d/*.conf %s optional", s.target("conf.d")+"/")
	return s
}

// nginx is the app's command line.
func (s *setup) nginx() []string {
	return []string{"nginx", "-e", "stderr", "-c", s.target("nginx.conf"), "-g", "daemon off;"}
}

// site is the payload of the volume: nginx.conf, with the pages included from a directory, and the pages.
func (s *setup) site(include string, pages keys) keys {
	k := keys{"nginx.conf": fmt.Sprintf(`
pid %[1]s/nginx.pid;
error_log stderr notice;
worker_processes 1;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen %[2]s;
		include %[3]s/*.conf;
	}
}
`, s.path("run"), nginxAddress, include)}
	maps.Copy(k, pages)
	return k
}

// page is a key of the site: one location and the text it answers with.
func page(name, text string) keys {
	return keys{"conf.d/" + name + ".conf": location(name, text)}
}

func location(name, text string) string {
	return fmt.Sprintf("location = /%s { return 200 %q; }\n", name, text)
}

// get asks the nginx in the box, on a new connection each time.
func (c *confit) get(name string) (string, error) {
	client := http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: c.Dial},
	}
	response, err := client.Get("http://" + nginxAddress + "/" + name)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return response.Status, err
	}
	return string(body), err
}

// serves waits until a page has a text.
func (c *confit) serves(name, text string) {
	c.t.Helper()
	var got string
	var err error
	c.Eventually(fmt.Sprintf("page %q being %q", name, text), func() bool {
		got, err = c.get(name)
		return err == nil && got == text
	})
}

// stillServes checks that a page has a text now.
func (c *confit) stillServes(name, text string) {
	c.t.Helper()
	if got, err := c.get(name); err != nil || got != text {
		c.t.Errorf("page %q is %q, want %q (%v)", name, got, text, err)
	}
}
