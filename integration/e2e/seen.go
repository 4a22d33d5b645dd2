package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// browser connects anew for each request: a kept connection would stay with an old worker.
var browser = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// want is what a pod is to serve at a port: a text, and the header that tells which edition of the server file it is.
type want struct{ port, path, page, edition string }

// servesNow is nil when a pod serves what it should.
func (s *stage) servesNow(p pod, w want) error {
	response, err := browser.Get("http://" + net.JoinHostPort(p.Status.PodIP, w.port) + "/" + w.path)
	if err != nil {
		return err
	}
	return w.is(response)
}

func (w want) is(response *http.Response) error {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch got := response.Header.Get("Edition"); {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK || !strings.Contains(string(body), w.page) || got != w.edition:
		return fmt.Errorf("want %q, edition %q; got %s, edition %q: %s", w.page, w.edition, response.Status, got, body)
	}
	return nil
}

// served waits until pods serve something, and then nothing else: for a moment after a reload old workers answer, too.
func (s *stage) served(w want, all ...pod) error {
	for _, p := range all {
		in := 0
		err := until(s.ctx, "the page is served", func() error {
			if err := s.servesNow(p, w); err != nil {
				in = 0
				return err
			}
			if in++; in < 10 {
				return errors.New("only now and then")
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.show("GET / of %s: %s %s", p.Metadata.Name, w.page, w.edition)
	}
	return nil
}

// refused waits until nginx takes no more connections.
func (s *stage) refused(p pod, port string) error {
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

func (s *stage) beginRequest(p pod, port string) (halfRequest, error) {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(p.Status.PodIP, port), 5*time.Second)
	if err == nil {
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: web\r\n")
	}
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(patience))
	}
	return halfRequest{conn}, err
}

func (r halfRequest) finish(w want) error {
	if _, err := io.WriteString(r, "Connection: close\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(r), nil)
	if err != nil {
		return err
	}
	return w.is(response)
}

// showLast reads a log to its end and shows the lines that hold certain words.
func (s *stage) showLast(log io.Reader, words ...string) {
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		for _, w := range words {
			if strings.Contains(scanner.Text(), w) {
				s.show("%s", scanner.Text())
			}
		}
	}
}

// presents waits until a pod's TLS port presents the certificate of a name.
func (s *stage) presents(p pod, port, name string) error {
	err := until(s.ctx, "certificate "+name+" is presented", func() error {
		dialer := &net.Dialer{Timeout: 5 * time.Second}
		conn, err := tls.DialWithDialer(dialer, "tcp", net.JoinHostPort(p.Status.PodIP, port), &tls.Config{InsecureSkipVerify: true})
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
		s.show("TLS at port %s: certificate %q", port, name)
	}
	return err
}
