package verdict_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/verdict"
)

// ends are what the state of a container is that has ended: for each restartPolicy and phase of its pod, by the exit
// code.
var ends = map[string]map[int32]verdict.State{
	"Always Running":      {0: verdict.Starting, 1: verdict.Starting, 3: verdict.Starting, 71: verdict.Starting, 78: verdict.Rejected, 137: verdict.Starting},
	"Always Pending":      {0: verdict.Starting, 1: verdict.Starting, 3: verdict.Starting, 71: verdict.Starting, 78: verdict.Rejected, 137: verdict.Starting},
	"Always Unknown":      {0: verdict.Starting, 1: verdict.Starting, 3: verdict.Starting, 71: verdict.Starting, 78: verdict.Rejected, 137: verdict.Starting},
	"Always Failed":       {0: verdict.Ended, 1: verdict.Ended, 3: verdict.Ended, 71: verdict.Ended, 78: verdict.Ended, 137: verdict.Ended}, // evicted
	"Always Succeeded":    {0: verdict.Ended},
	"OnFailure Running":   {0: verdict.Ended, 1: verdict.Starting, 3: verdict.Starting, 71: verdict.Starting, 78: verdict.Rejected, 137: verdict.Starting},
	"OnFailure Pending":   {0: verdict.Ended, 1: verdict.Starting, 3: verdict.Starting, 71: verdict.Starting, 78: verdict.Rejected, 137: verdict.Starting},
	"OnFailure Unknown":   {0: verdict.Ended, 1: verdict.Starting, 3: verdict.Starting, 71: verdict.Starting, 78: verdict.Rejected, 137: verdict.Starting},
	"OnFailure Failed":    {0: verdict.Ended, 1: verdict.Ended, 3: verdict.Ended, 71: verdict.Ended, 78: verdict.Rejected, 137: verdict.Ended},
	"OnFailure Succeeded": {0: verdict.Ended},
	"Never Running":       {0: verdict.Ended, 1: verdict.Ended, 3: verdict.Ended, 71: verdict.Ended, 78: verdict.Rejected, 137: verdict.Ended},
	"Never Pending":       {0: verdict.Ended, 1: verdict.Ended, 3: verdict.Ended, 71: verdict.Ended, 78: verdict.Rejected, 137: verdict.Ended},
	"Never Unknown":       {0: verdict.Ended, 1: verdict.Ended, 3: verdict.Ended, 71: verdict.Ended, 78: verdict.Rejected, 137: verdict.Ended},
	"Never Failed":        {0: verdict.Ended, 1: verdict.Ended, 3: verdict.Ended, 71: verdict.Ended, 78: verdict.Rejected, 137: verdict.Ended},
	"Never Succeeded":     {0: verdict.Ended},
}

// endedWith is a pod whose container has ended.
func endedWith(t *testing.T, policy, phase string, code int32) *corev1.Pod {
	p, _ := inWeb(t, "configMap: {name: web}")
	p.Spec.RestartPolicy, p.Status.Phase = corev1.RestartPolicy(policy), corev1.PodPhase(phase)
	end := &corev1.ContainerStateTerminated{ExitCode: code, ContainerID: fmt.Sprint("run", code), FinishedAt: metav1.NewTime(began.Add(time.Minute))}
	p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: end}
	return p
}

// TestEnds: whether an end is one, a rejection, or a restart.
func TestEnds(t *testing.T) {
	for which, codes := range ends {
		var policy, phase string
		if _, err := fmt.Sscan(which, &policy, &phase); err != nil {
			t.Fatal(err)
		}
		for code, want := range codes {
			_, c := inWeb(t, "configMap: {name: web}")
			p := endedWith(t, policy, phase, code)
			row := verdict.Judge(p, c, verdict.Answer{Err: errors.New("nobody runs")}, nil, nil)
			if row.State != want {
				t.Errorf("%s %d: got %s, want %s: %s", which, code, row.State, want, row.Why)
			}
			if bad := verdict.Code([]verdict.Row{row}) == verdict.Bad; bad != (want == verdict.Rejected) {
				t.Errorf("%s %d: its exit code is 3: %v", which, code, bad)
			}
		}
	}
}

// TestEnds_rules: a container's own policy goes before the pod's, and its rules before both.
func TestEnds_rules(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	_, c := inWeb(t, "configMap: {name: web}")
	for name, change := range map[string]func(*corev1.Container){
		"its policy": func(c *corev1.Container) { c.RestartPolicy = &always },
		"a rule": func(c *corev1.Container) {
			c.RestartPolicyRules = []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestart,
				ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{3}}}}
		},
	} {
		p := endedWith(t, "Never", "Running", 3)
		change(&p.Spec.Containers[0])
		if got := verdict.Judge(p, c, verdict.Answer{}, nil, nil); got.State != verdict.Starting {
			t.Errorf("%s: got %s", name, got.State)
		}
	}
}

// TestEnds_wait: a pod that isn't restarted and ends with 78 while somebody waits has rejected it at once. One that had
// ended before, of an edit that nobody knows, isn't waited for. One that ends with 0 and will be restarted is waited
// for.
func TestEnds_wait(t *testing.T) {
	for name, tt := range map[string]struct {
		policy, phase string
		code          int32
		before        bool
		want          int // -1: it goes on
	}{
		"rejects":     {"Never", "Failed", 78, false, verdict.Bad},
		"once":        {"Always", "Running", 78, false, -1},
		"long before": {"Never", "Failed", 78, true, verdict.Well},
		"done":        {"Never", "Succeeded", 0, false, verdict.Well},
		"restarted":   {"Always", "Running", 0, false, -1},
		"its turn":    {"OnFailure", "Running", 71, false, -1},
	} {
		w := verdict.NewWait(verdict.Objects{web: holding(web, "a", "1")}, false, false)
		beside, _ := inWeb(t, "configMap: {name: web}")
		beside.UID = "beside"
		w.SeePod(began, beside)
		p := endedWith(t, tt.policy, tt.phase, tt.code)
		if tt.before {
			w.SeePod(began, p)
		}
		w.Synced()
		w.SeePod(began, p)
		for range 2 {
			for _, q := range w.Questions(began) {
				w.Tell(began, q, verdict.Answer{Status: says(nil)})
			}
		}
		got := -1
		if r := w.Result(); r != nil {
			got = r.Code
		}
		if got != tt.want {
			t.Errorf("%s: got %d, want %d: %v", name, got, tt.want, w.Result())
		}
	}
}
