package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

const (
	port    = "8080"
	portTLS = "8443"
)

// browser connects anew for each request: a kept connection would stay with an old worker.
var browser = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// servesNow is nil when a pod serves a page, with the header that site.conf says.
func (s *story) servesNow(p pod, page, edition string) error {
	response, err := browser.Get("http://" + net.JoinHostPort(p.Status.PodIP, port) + "/")
	if err != nil {
		return err
	}
	return serves(response, page, edition)
}

func serves(response *http.Response, page, edition string) error {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch got := response.Header.Get("Edition"); {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK || !strings.Contains(string(body), page) || got != edition:
		return fmt.Errorf("want %q, edition %q; got %s, edition %q: %s", page, edition, response.Status, got, body)
	}
	return nil
}

// served waits until a pod serves a page, and then nothing else: for a moment after a reload old workers answer, too.
func (s *story) served(p pod, page, edition string) error {
	in := 0
	err := until(s.ctx, "the page is served", func() error {
		if err := s.servesNow(p, page, edition); err != nil {
			in = 0
			return err
		}
		if in++; in < 10 {
			return errors.New("only now and then")
		}
		return nil
	})
	if err == nil {
		show("GET / of %s: %s %s", p.Status.PodIP, page, edition)
	}
	return err
}

// refused waits until nginx takes no more connections.
func (s *story) refused(p pod) error {
	return until(s.ctx, "nginx closes its port", func() error {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(p.Status.PodIP, port), time.Second)
		if err != nil {
			return nil
		}
		_ = conn.Close()
		return errors.New("it is open")
	})
}

// halfRequest is a request of which nginx has read the beginning.
type halfRequest struct{ net.Conn }

func (s *story) beginRequest(p pod) (halfRequest, error) {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(p.Status.PodIP, port), 5*time.Second)
	if err == nil {
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: web\r\n")
	}
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(harness.Patience))
	}
	return halfRequest{conn}, err
}

func (r halfRequest) finish(page string) error {
	if _, err := io.WriteString(r, "Connection: close\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(r), nil)
	if err != nil {
		return err
	}
	return serves(response, page, response.Header.Get("Edition"))
}

// showLast reads a log to its end and shows the lines that hold certain words.
func showLast(log io.Reader, words ...string) {
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		for _, w := range words {
			if strings.Contains(scanner.Text(), w) {
				show("%s", scanner.Text())
			}
		}
	}
}

// presents waits until a pod's TLS port presents the certificate of a name.
func (s *story) presents(p pod, name string) error {
	err := until(s.ctx, "certificate "+name+" is presented", func() error {
		dialer := &net.Dialer{Timeout: 5 * time.Second}
		conn, err := tls.DialWithDialer(dialer, "tcp", net.JoinHostPort(p.Status.PodIP, portTLS), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		if got := conn.ConnectionState().PeerCertificates[0].Subject.CommonName; got != name {
			return fmt.Errorf("it is %q", got)
		}
		return nil
	})
	if err == nil {
		show("TLS at port %s: certificate %q", portTLS, name)
	}
	return err
}

// certificate is the data of a Secret with a certificate of its own for a name.
func certificate(name string) (map[string]string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"tls.crt": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public})),
		"tls.key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}, nil
}

// process is a running program; its start tells it from a later one with the same number.
type process struct {
	pid   int
	start string
}

// nginxOf is the master process of a pod, found by the pod's cgroup.
func nginxOf(p pod) (process, error) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return process{}, err
	}
	for _, file := range lines {
		title, _ := os.ReadFile(file)
		groups, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cgroup"))
		if strings.HasPrefix(string(title), "nginx: master process") && strings.Contains(string(groups), p.Metadata.UID) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return process{pid, startTime(pid)}, err
		}
	}
	return process{}, errors.New("there is no nginx in the pod")
}

// startTime is field 22 of /proc/PID/stat, empty when there is none.
func startTime(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(rest); len(fields) > 19 {
		return fields[19]
	}
	return ""
}

func (p process) same() error {
	if startTime(p.pid) != p.start {
		return fmt.Errorf("nginx isn't process %d any more", p.pid)
	}
	show("nginx is still process %d of the node", p.pid)
	return nil
}

func (p process) gone() error {
	if startTime(p.pid) == p.start {
		return fmt.Errorf("nginx, process %d, is still there", p.pid)
	}
	return nil
}

// reload sends HUP and waits until nginx has other workers.
func (p process) reload() error {
	before := p.children()
	if err := syscall.Kill(p.pid, syscall.SIGHUP); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	if !harness.PollEvery(ctx, pollInterval, func() bool {
		now := p.children()
		return len(now) == len(before) && !overlap(now, before)
	}) {
		return errors.New("nginx did not reload")
	}
	return nil
}

func (p process) children() []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.pid, p.pid))
	return strings.Fields(string(text))
}

func overlap(a, b []string) bool {
	for _, one := range a {
		for _, other := range b {
			if one == other {
				return true
			}
		}
	}
	return false
}
