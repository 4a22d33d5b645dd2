package cluster

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// pause keeps what is tried again and again from being tried too often.
type pause struct{ wait.Backoff }

func newPause() *pause {
	return &pause{wait.Backoff{Duration: time.Second / 4, Factor: 2, Jitter: 0.2, Steps: 7, Cap: 15 * time.Second}}
}

// wait waits longer each time.
func (p *pause) wait(ctx context.Context) error {
	select {
	case <-time.After(p.Step()):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
