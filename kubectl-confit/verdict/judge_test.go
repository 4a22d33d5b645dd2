package verdict_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

var (
	web   = pods.Object{Kind: pods.ConfigMap, Name: "web"}
	other = pods.Object{Kind: pods.ConfigMap, Name: "other"}
	tls   = pods.Object{Kind: pods.Secret, Name: "tls"}
)

// began is when the container was started.
var began = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

func at(d time.Duration) status.Time { return status.At(began.Add(d)) }

// inWeb is a pod that runs, with a volume at /confit/web in the container c.
func inWeb(t *testing.T, volume string) (*corev1.Pod, *pods.Container) {
	t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0", UID: "u"}}
	spec := "{containers: [{name: c, command: [confit, --, app], volumeMounts: [{name: v, mountPath: /confit/web}]}], volumes: [{name: v, " + volume + "}]}"
	if err := yaml.UnmarshalStrict([]byte(spec), &p.Spec); err != nil {
		t.Fatal(err)
	}
	p.Status.Phase = corev1.PodRunning
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", ContainerID: "run", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(began)}}}}
	return p, &pods.Containers(p)[0]
}

func sum(text string) string { return string(pods.Sum([]byte(text))) }

// holding is an object of keys and their texts: "a", "1", …
func holding(o pods.Object, keys ...string) *pods.Data {
	d := &pods.Data{Object: o, ResourceVersion: "5", Sums: map[string]status.Sum{}}
	for i := 0; i < len(keys); i += 2 {
		d.Sums[keys[i]] = pods.Sum([]byte(keys[i+1]))
	}
	return d
}

// says is a confit that has accepted a=1 of /confit/web, and has mounted a=2.
func says(change func(s *status.Status)) *status.Status {
	former := status.Generation{Number: 1, Hash: "former", Since: at(time.Minute)}
	s := &status.Status{Version: 1, Updated: at(time.Hour), Phase: "validating", Live: &former, Accepted: &status.Accepted{Generation: former},
		Mounted: &status.Mounted{Hash: "mounted", Since: at(2 * time.Minute), Keys: map[string]status.Sum{"web/a": status.Sum(sum("2"))}},
		Volumes: []status.Volume{{Path: "/confit/web", Prefix: "web", Patterns: []string{"a"}}},
		Keys:    map[string]string{"web/a": sum("1")}}
	if change != nil {
		change(s)
	}
	return s
}

func rejection(step string, attempts int) func(s *status.Status) {
	return func(s *status.Status) {
		s.Phase = "running"
		s.Rejection = &status.Rejection{At: at(3 * time.Minute), Hash: "mounted", Step: step, Reason: "bad", Output: "x", Attempts: attempts, NextTry: at(time.Hour)}
	}
}

// TestJudge: the states of one container, and what is said about them.
func TestJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		status *status.Status
		has    string // what the API has in a
		want   string // STATE SINCE WHY
	}{
		"accepted":               {says(nil), "1", "accepted 1m "},
		"behind":                 {says(nil), "3", "behind - the kubelet has not brought it yet"},
		"perhaps behind":         {says(func(s *status.Status) { s.Phase = "proving" }), "3", "behind - the kubelet has not brought it yet, or confit is busy with what came before"},
		"on its way":             {says(nil), "2", "on its way 2m confit is validating"},
		"live":                   {says(func(s *status.Status) { s.Live = &status.Generation{Hash: "mounted", Since: at(4 * time.Minute)} }), "2", "live 4m the app has it; confit waits for the proof"},
		"gate":                   {says(func(s *status.Status) { s.Gate = &status.Gate{Since: at(5 * time.Minute)} }), "2", "gated 5m it waits for the gate"},
		"rejected once":          {says(rejection("validate", 1)), "2", "rejected 3m validate: bad"},
		"rejected twice":         {says(rejection("validate", 2)), "2", "rejected 3m validate: bad final"},
		"for good":               {says(func(s *status.Status) { rejection("stage", 1)(s); s.Rejection.NextTry = "" }), "2", "rejected 3m stage: bad final"},
		"rolled back":            {says(rejection("verify", 1)), "2", "rejected 3m verify: bad final"},
		"refused by the gate":    {says(rejection("gate", 3)), "2", "gated 3m gate: bad"},
		"its retry":              {says(func(s *status.Status) { rejection("validate", 2)(s); s.Live = &status.Generation{Hash: "mounted"} }), "2", "rejected 3m validate: bad final"},
		"another was rejected":   {says(func(s *status.Status) { rejection("verify", 1)(s); s.Rejection.Hash = "earlier" }), "2", "on its way 2m confit is running"},
		"the next is pending":    {says(func(s *status.Status) { rejection("verify", 1)(s); s.PendingSince = at(0) }), "2", "on its way 2m confit is running"},
		"rejected, and reverted": {says(rejection("verify", 1)), "1", "accepted 1m "},
		"rejected, and fixed":    {says(rejection("verify", 1)), "3", "behind - the kubelet has not brought it yet"},
		"stalled":                {says(func(s *status.Status) { s.Stalled = at(0) }), "2", "stuck - a volume or the state directory doesn't answer"},
		"trouble":                {says(func(s *status.Status) { s.Trouble, s.PendingSince = "no \x1bspace", at(0) }), "2", "stuck - the system refuses: no \uFFFDspace"},
		"trouble at rest":        {says(func(s *status.Status) { s.Trouble = "a link" }), "1", "accepted 1m "},
		"degraded":               {says(func(s *status.Status) { s.Degraded = "panic" }), "3", "stuck - confit broke down and applies no change: panic"},
		"not well":               {says(func(s *status.Status) { s.Unwell = "verify: \x1bno" }), "1", "live 1m the app isn't well with it: verify: \uFFFDno"},
		"gone down": {says(func(s *status.Status) {
			s.GoneDown = &status.GoneDown{From: status.Generation{Hash: "mounted", Since: at(6 * time.Minute)}, Reason: "it ended with exit 3"}
		}), "2", "on its way 6m the app died of it, and is tried on what was accepted before: it ended with exit 3"},
		"degraded, but has it": {says(func(s *status.Status) { s.Degraded = "panic" }), "1", "accepted 1m confit broke down and applies no change: panic"},
		"gone from the object": {says(nil), "", "behind - the kubelet has not brought it yet"},
		"gone from the volume": {says(func(s *status.Status) {
			s.Mounted = &status.Mounted{Hash: "", Keys: map[string]status.Sum{"web/a": ""}}
			rejection("stage", 2)(s)
			s.Rejection.Hash = ""
		}), "", "rejected 3m stage: bad final"},
		"nothing accepted":  {says(func(s *status.Status) { s.Accepted, s.Live, s.Keys = nil, nil, nil }), "2", "on its way 2m confit is validating"},
		"nothing at all":    {says(func(s *status.Status) { *s = status.Status{Phase: "staging", Volumes: s.Volumes} }), "2", "behind - the kubelet has not brought it yet"},
		"not taken":         {says(func(s *status.Status) { s.Volumes[0].Patterns = []string{"b"} }), "2", "unfollowed - confit takes no key of it"},
		"another volume":    {says(func(s *status.Status) { s.Volumes[0].Path = "/confit/other" }), "2", "unfollowed - confit takes no key of it"},
		"old":               {says(func(s *status.Status) { s.Volumes[0].Patterns, s.Volumes[0].Prefix = nil, "" }), "2", "on its way 2m confit is validating; the confit of this pod is too old"},
		"old, new key":      {says(func(s *status.Status) { s.Volumes[0].Patterns, s.Keys, s.Mounted = nil, nil, nil }), "2", "unknown - the confit of this pod is too old"},
		"a former run's":    {says(func(s *status.Status) { s.Phase = "done" }), "1", "starting 0m confit has not come up yet"},
		"before a restart":  {says(func(s *status.Status) { s.Accepted.Since = at(-time.Second) }), "1", "live -1s its container was restarted since it accepted it: the app has to live with it for --soak"},
		"a former confit's": {says(func(s *status.Status) { s.Accepted.Proof = "stored" }), "1", "live 1m its container was restarted since it accepted it: the app has to live with it for --soak"},
		"soaked since":      {says(func(s *status.Status) { s.Accepted.Proof, s.Accepted.Soaked = "stored", true }), "1", "accepted 1m "},
		"no real times":     {says(func(s *status.Status) { s.Accepted.Since, s.Updated = "\x1b[31m", "soon" }), "1", "accepted - "},
	} {
		p, c := inWeb(t, "configMap: {name: web}")
		d := holding(web)
		if tt.has != "" {
			d = holding(web, "a", tt.has)
		}
		for _, only := range [][]pods.Object{nil, {web}} {
			got := brief(verdict.Judge(p, c, verdict.Answer{Status: tt.status}, verdict.Objects{web: d}, only))
			if !strings.HasPrefix(got, tt.want) || !strings.Contains(tt.want, "old") && got != tt.want {
				t.Errorf("%s: got %q, want %q", name, got, tt.want)
			}
		}
	}
}

// brief is a row in a line: STATE SINCE WHY, and whether it is final.
func brief(r verdict.Row) string {
	since := "-"
	if when, err := time.Parse(time.RFC3339, string(r.Since)); err == nil {
		since = strings.TrimSuffix(when.Sub(began).String(), "0s")
		if since == "" {
			since = "0m"
		}
	}
	text := string(r.State) + " " + since + " " + r.Why
	if r.Final {
		text += " final"
	}
	return text
}

// TestJudge_objects: several objects, of which some can't be read, aren't there, can't be brought or never change.
func TestJudge_objects(t *testing.T) {
	frozen := holding(web, "a", "3")
	frozen.Immutable = true
	projected := "projected: {sources: [{configMap: {name: web}}, {secret: {name: tls}}]}"
	both := func(s *status.Status) {
		s.Volumes[0].Patterns = []string{"./"}
		s.Keys["web/k"] = sum("K")
	}
	for name, tt := range map[string]struct {
		volume string
		status *status.Status
		have   verdict.Objects
		only   []pods.Object
		want   string
	}{
		"both":                  {projected, says(both), verdict.Objects{web: holding(web, "a", "1"), tls: holding(tls, "k", "K")}, nil, "accepted 1m "},
		"one of both":           {projected, says(both), verdict.Objects{web: holding(web, "a", "3"), tls: holding(tls, "k", "K")}, []pods.Object{tls}, "accepted 1m "},
		"the other one":         {projected, says(both), verdict.Objects{web: holding(web, "a", "3"), tls: holding(tls, "k", "K")}, []pods.Object{web}, "behind - the kubelet has not brought it yet"},
		"a key is gone":         {projected, says(both), verdict.Objects{web: holding(web, "a", "1"), tls: holding(tls)}, []pods.Object{web}, "behind - the kubelet has not brought it yet"},
		"one can't be read":     {projected, says(both), verdict.Objects{web: holding(web, "a", "1")}, nil, "accepted 1m secret/tls can't be read: its keys aren't compared"},
		"it isn't asked about":  {projected, says(both), verdict.Objects{web: holding(web, "a", "1")}, []pods.Object{web}, "accepted 1m "},
		"none can be read":      {projected, says(both), verdict.Objects{}, nil, "on its way - confit is validating; configmap/web can't be read: its keys aren't compared"},
		"none, but it is well":  {projected, says(func(s *status.Status) { both(s); s.Mounted.Hash = "former" }), verdict.Objects{}, nil, "accepted 1m configmap/web can't be read: its keys aren't compared"},
		"none, and it is wrong": {projected, says(func(s *status.Status) { both(s); rejection("verify", 1)(s) }), verdict.Objects{}, nil, "rejected 3m verify: bad; configmap/web can't be read: its keys aren't compared final"},
		"no such object":        {"configMap: {name: web}", says(nil), verdict.Objects{web: nil}, nil, "behind - the kubelet can't bring it: there is no configmap/web"},
		"no such optional one":  {"configMap: {name: web, optional: true}", says(nil), verdict.Objects{web: nil}, nil, "behind - the kubelet has not brought it yet"},
		"no such key":           {"configMap: {name: web, items: [{key: a, path: a}, {key: x, path: x}]}", says(nil), verdict.Objects{web: holding(web, "a", "3")}, nil, `behind - the kubelet can't bring it: configmap/web has no key "x"`},
		"immutable":             {"configMap: {name: web}", says(nil), verdict.Objects{web: frozen}, nil, "behind - configmap/web is immutable: give it another name, or let no pod of the node have it for a while"},
		"a token beside":        {"projected: {sources: [{configMap: {name: web}}, {serviceAccountToken: {path: k}}]}", says(both), verdict.Objects{web: holding(web, "a", "1")}, nil, "accepted 1m "},
		"items":                 {"configMap: {name: web, items: [{key: b, path: a}]}", says(nil), verdict.Objects{web: holding(web, "a", "3", "b", "1")}, nil, "accepted 1m "},
		"rendered files":        {"configMap: {name: web}", says(func(s *status.Status) { s.Volumes[0].Patterns = []string{"./"}; s.Keys[".rendered/x"] = sum("x") }), verdict.Objects{web: holding(web, "a", "1")}, nil, "accepted 1m "},
		"a volume in it": {"configMap: {name: web}", says(func(s *status.Status) {
			s.Volumes[0].Patterns = []string{"./"}
			s.Volumes = append(s.Volumes, status.Volume{Path: "/confit/web/deep", Prefix: "web/deep", Patterns: []string{"x"}})
			s.Keys["web/deep/x"] = sum("x")
		}), verdict.Objects{web: holding(web, "a", "1")}, nil, "accepted 1m "},
	} {
		p, c := inWeb(t, tt.volume)
		if got := brief(verdict.Judge(p, c, verdict.Answer{Status: tt.status}, tt.have, tt.only)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestJudge_api: what the API alone says.
func TestJudge_api(t *testing.T) {
	ended := func(code int32, message string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: metav1.NewTime(began.Add(time.Minute)), Message: message}}
	}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	for name, tt := range map[string]struct {
		change func(p *corev1.Pod, s *corev1.ContainerStatus)
		want   string
	}{
		"runs, no answer": {func(*corev1.Pod, *corev1.ContainerStatus) {}, "unknown 0m refused"},
		"restarted": {func(_ *corev1.Pod, s *corev1.ContainerStatus) {
			s.RestartCount, s.LastTerminationState = 2, ended(137, "")
		}, "unknown 0m refused; it has ended 2 times, the last time with exit code 137"},
		"deleted":   {func(p *corev1.Pod, _ *corev1.ContainerStatus) { p.DeletionTimestamp = &metav1.Time{} }, "ended - it is being deleted"},
		"succeeded": {func(p *corev1.Pod, _ *corev1.ContainerStatus) { p.Status.Phase = corev1.PodSucceeded }, "ended - Succeeded"},
		"evicted": {func(p *corev1.Pod, _ *corev1.ContainerStatus) {
			p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "low\non\x1bmemory"}
		}, "ended - Failed: Evicted: low on\uFFFDmemory"},
		"pending": {func(p *corev1.Pod, _ *corev1.ContainerStatus) { p.Status = corev1.PodStatus{Phase: corev1.PodPending} }, "starting - it is pending"},
		"unschedulable": {func(p *corev1.Pod, _ *corev1.ContainerStatus) {
			p.Status = corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes"}}}
		}, "starting - it is pending: Unschedulable: 0/3 nodes"},
		"crash loop": {func(_ *corev1.Pod, s *corev1.ContainerStatus) {
			s.RestartCount, s.State, s.LastTerminationState = 2, waiting, ended(1, "")
		}, "starting - CrashLoopBackOff; it has ended 3 times, the last time with exit code 1"},
		"ended just now": {func(_ *corev1.Pod, s *corev1.ContainerStatus) { s.State = ended(3, "") }, "starting - it has ended once, with exit code 3"},
		"crash loop, 78": {func(_ *corev1.Pod, s *corev1.ContainerStatus) {
			s.State, s.LastTerminationState = waiting, ended(78, "validate: \x1bbad\nmore")
		}, "rejected 1m start: validate: \uFFFDbad"},
		"ended with 78": {func(_ *corev1.Pod, s *corev1.ContainerStatus) { s.State = ended(78, "") }, "rejected 1m start"},
		"ended with 0":  {func(_ *corev1.Pod, s *corev1.ContainerStatus) { s.State = ended(0, "") }, "starting - it has ended once, with exit code 0"},
		"ended for good": {func(p *corev1.Pod, s *corev1.ContainerStatus) {
			p.Spec.RestartPolicy, s.State = corev1.RestartPolicyNever, ended(0, "")
		}, "ended - it has ended with exit code 0, and isn't started again"},
		"can't be pulled": {func(_ *corev1.Pod, s *corev1.ContainerStatus) {
			s.State.Running, s.State.Waiting = nil, &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no\nsuch"}
		}, "starting - ErrImagePull: no such"},
	} {
		p, c := inWeb(t, "configMap: {name: web}")
		tt.change(p, &p.Status.ContainerStatuses[min(0, len(p.Status.ContainerStatuses)-1)])
		if got := brief(verdict.Judge(p, c, verdict.Answer{Err: errors.New("refused")}, nil, nil)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// FuzzJudge: whatever a container prints, there is a row, which can't command a terminal.
func FuzzJudge(f *testing.F) {
	for _, s := range []*status.Status{says(nil), says(rejection("validate", 2)), says(func(s *status.Status) { s.Degraded = "x" })} {
		f.Add(s.Encode())
	}
	f.Add([]byte(`{"version":1,"volumes":[{"path":"/confit/web","patterns":["[","a/","./",""]}],"mounted":{"keys":{"":null}},"keys":{"web/\u001b":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := status.Decode(data)
		if err != nil {
			return
		}
		p, c := inWeb(t, "configMap: {name: web}")
		r := verdict.Judge(p, c, verdict.Answer{Status: &s}, verdict.Objects{web: holding(web, "a", "1")}, nil)
		for _, text := range []string{r.Why, r.Step, string(r.Since), string(r.State)} {
			if status.Clean(text) != text {
				t.Errorf("%q", text)
			}
		}
		for line := range strings.SplitSeq(r.Output, "\n") {
			if status.Clean(line) != line {
				t.Errorf("%q", line)
			}
		}
	})
}
