package follow

import (
	"context"
	"errors"
	"strings"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// ask runs confit --status in a container. It exits with 3 when it has rejected what is mounted, and with 1 when there is
// no status; so what it prints is the answer.
func ask(ctx context.Context, c *cluster.Client, pod string, in *pods.Container) verdict.Answer {
	r, err := c.Exec(ctx, cluster.Command{Pod: pod, Container: in.Name, Words: in.Call("--status=json")})
	if err != nil {
		return verdict.Answer{Err: err, Denied: cluster.IsForbidden(err)}
	}
	if len(r.Stdout) > 0 {
		s, err := status.Decode(r.Stdout)
		if err == nil {
			return verdict.Answer{Status: &s}
		}
		return verdict.Answer{Err: err}
	}
	said, _, _ := strings.Cut(strings.TrimSpace(string(r.Stderr)), "\n")
	if said == "" {
		said = "confit --status says nothing"
	}
	return verdict.Answer{Err: errors.New(said)}
}

// read adds objects that aren't known yet to those that are: nil for one that isn't there. What may not be read is left
// out if that is allowed.
func read(ctx context.Context, c *cluster.Client, into verdict.Objects, list []pods.Object, refused map[pods.Object]bool) error {
	for _, o := range list {
		if _, known := into[o]; known || refused[o] {
			continue
		}
		d, err := c.Object(ctx, o)
		switch {
		case cluster.IsForbidden(err) && refused != nil:
			refused[o] = true
			continue
		case err != nil && !cluster.IsNotFound(err):
			return err
		}
		into[o] = d
	}
	return nil
}
