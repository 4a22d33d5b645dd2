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
	// patience is how long a scene waits for what must happen. Four are shown at a time, on a machine that may be busy besides.
	patience = 2 * harness.Patience
	// pollInterval is easy on the API server.
	pollInterval = 20 * time.Millisecond

	typeYAML  = "application/yaml"
	typeJSON  = "application/json"
	typePatch = "application/merge-patch+json"

	pods       = "pods"
	configMaps = "configmaps"
	secrets    = "secrets"
)

// until polls until something is true; till then it is an error that says what is missing.
func until(ctx context.Context, what string, ok func() error) error {
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var err error
	if harness.PollEvery(timed, pollInterval, func() bool { err = ok(); return err == nil }) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("not within %v: %s: %w", patience, what, err)
}

// api is the API server, as kubectl sees it in one namespace.
type api struct {
	ctx         context.Context
	base, token string
	namespace   string
	client      *http.Client
}

func newAPI(ctx context.Context, base, token string) api {
	// It made its certificate itself, and nobody else is in this network.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return api{ctx, base, token, "", &http.Client{Transport: transport}}
}

// path is where the objects of a kind are, or one of them.
func (a api) path(kind string, name ...string) string {
	return strings.Join(append([]string{"/api/v1/namespaces", a.namespace, kind}, name...), "/")
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
func (a api) create(path, contentType string, body []byte, options ...string) ([]byte, error) {
	return a.do(http.MethodPost, path+"?"+strings.Join(append(options, "fieldValidation=Strict"), "&"), contentType, body)
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

// log is kubectl logs POD, or of one container: POD/CONTAINER.
func (a api) log(pod string) ([]string, error) {
	pod, container, _ := strings.Cut(pod, "/")
	text, err := a.get(a.path(pods, pod, "log") + "?container=" + container)
	return strings.Split(strings.TrimSpace(string(text)), "\n"), err
}

// pod is what is looked at of a pod.
type pod struct {
	Metadata struct {
		Name, UID, ResourceVersion string
		DeletionTimestamp          *time.Time
	}
	Status struct {
		Phase             string
		PodIP             string
		Conditions        []condition
		ContainerStatuses []container
	}
}

type container struct {
	Name             string
	Ready            bool
	RestartCount     int
	State, LastState state
}

// container is an empty one if the pod has none of that name.
func (p pod) container(name string) container {
	for _, c := range p.Status.ContainerStatuses {
		if c.Name == name {
			return c
		}
	}
	return container{}
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

// ready is the condition, with the time since when it is as it is.
func (p pod) ready() condition {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			return c
		}
	}
	return condition{}
}

// podsOf are the pods of an app.
func (a api) podsOf(app string) ([]pod, error) {
	text, err := a.get(a.path(pods) + "?labelSelector=app%3D" + app)
	var list struct{ Items []pod }
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return list.Items, err
}

func (a api) pod(name string) (p pod, err error) {
	text, err := a.get(a.path(pods, name))
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
	path := fmt.Sprintf("%s?gracePeriodSeconds=%d", a.path(pods, name), grace)
	if _, err := a.do(http.MethodDelete, path, typeJSON, nil); err != nil {
		return err
	}
	return until(a.ctx, "pod "+name+" is gone", func() error {
		if _, err := a.get(a.path(pods, name)); err == nil {
			return errors.New("it is still there")
		}
		return nil
	})
}
