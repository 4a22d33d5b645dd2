package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"confit/integration/internal/harness"
)

const (
	// pollInterval is easy on the API server.
	pollInterval = 20 * time.Millisecond

	typeYAML  = "application/yaml"
	typeJSON  = "application/json"
	typePatch = "application/merge-patch+json"

	pods       = "/api/v1/namespaces/default/pods"
	configMaps = "/api/v1/namespaces/default/configmaps"
	secrets    = "/api/v1/namespaces/default/secrets"
)

// until polls until something is true; till then it is an error that says what is missing.
func until(ctx context.Context, what string, ok func() error) error {
	timed, cancel := context.WithTimeout(ctx, harness.Patience)
	defer cancel()
	var err error
	if harness.PollEvery(timed, pollInterval, func() bool { err = ok(); return err == nil }) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("not within %v: %s: %w", harness.Patience, what, err)
}

// api is the API server, as kubectl sees it.
type api struct {
	ctx         context.Context
	base, token string
	client      *http.Client
}

func newAPI(ctx context.Context, base, token string) api {
	// It made its certificate itself, and nobody else is in this network.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return api{ctx, base, token, &http.Client{Transport: transport}}
}

// open sends a request whose answer is read by the caller.
func (a api) open(method, path, contentType string, body []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(a.ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+a.token)
	request.Header.Set("Content-Type", contentType)
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, bytes.TrimSpace(text))
	}
	return response.Body, nil
}

func (a api) do(method, path, contentType string, body []byte) ([]byte, error) {
	answer, err := a.open(method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	return io.ReadAll(answer)
}

func (a api) get(path string) ([]byte, error) { return a.do(http.MethodGet, path, typeJSON, nil) }

// create is kubectl create; a field that Kubernetes doesn't know is an error.
func (a api) create(path, contentType string, body []byte) ([]byte, error) {
	return a.do(http.MethodPost, path+"?fieldValidation=Strict", contentType, body)
}

// patch is kubectl patch --type merge.
func (a api) patch(path string, change any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = a.do(http.MethodPatch, path, typePatch, body)
	return err
}

// log is kubectl logs.
func (a api) log(pod string) ([]string, error) {
	text, err := a.get(pods + "/" + pod + "/log")
	return strings.Split(strings.TrimSpace(string(text)), "\n"), err
}

// pod is what is looked at of a pod.
type pod struct {
	Metadata struct{ UID, ResourceVersion string }
	Status   struct {
		Phase             string
		PodIP             string
		Conditions        []condition
		ContainerStatuses []struct {
			Ready            bool
			RestartCount     int
			State, LastState state
		}
	}
}

type condition struct{ Type, Status, LastTransitionTime string }

type state struct {
	Running    *struct{}
	Waiting    *struct{ Reason, Message string }
	Terminated *struct {
		ExitCode              int
		Reason, Message       string
		StartedAt, FinishedAt time.Time
	}
}

func (a api) pod(name string) (p pod, err error) {
	text, err := a.get(pods + "/" + name)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// condition is nil when a condition of a node or pod is true.
func (a api) condition(path, name string) error {
	text, err := a.get(path)
	if err != nil {
		return err
	}
	var object pod
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	for _, c := range object.Status.Conditions {
		if c.Type == name && c.Status == "True" {
			return nil
		}
	}
	status, _ := json.Marshal(object.Status)
	return fmt.Errorf("%s isn't true: %s", name, status)
}

// await waits until a pod is as it should be.
func (a api) await(name, what string, ok func(pod) bool) (p pod, err error) {
	return p, until(a.ctx, "pod "+name+" "+what, func() error {
		if p, err = a.pod(name); err != nil {
			return err
		}
		if len(p.Status.ContainerStatuses) == 0 || !ok(p) {
			status, _ := json.Marshal(p.Status)
			return errors.New(string(status))
		}
		return nil
	})
}

func (a api) awaitReady(name string) (pod, error) {
	return a.await(name, "is ready", func(p pod) bool { return p.Status.ContainerStatuses[0].Ready })
}

// remove is kubectl delete --wait; grace 0 is --force.
func (a api) remove(name string, grace int) error {
	path := fmt.Sprintf("%s/%s?gracePeriodSeconds=%d", pods, name, grace)
	if _, err := a.do(http.MethodDelete, path, typeJSON, nil); err != nil {
		return err
	}
	return until(a.ctx, "pod "+name+" is gone", func() error {
		if _, err := a.get(pods + "/" + name); err == nil {
			return errors.New("it is still there")
		}
		return nil
	})
}
