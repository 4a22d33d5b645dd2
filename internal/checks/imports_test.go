package checks

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNotLinked holds what PID 1 must not carry: a second owner of wait, and
// anything that opens a connection.
func TestNotLinked(t *testing.T) {
	t.Chdir(root)
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); slices.Contains([]string{"os/exec", "net/http", "crypto/tls", "os/user"}, path) {
			t.Errorf("%s is linked into confit", path)
		}
	}
}

// mayImport is the import table: whom each package may know besides the standard
// library.
var mayImport = map[string][]string{
	".":       {"confit/config", "confit/linker", "confit/notify", "confit/process", "confit/signals", "confit/status", "confit/supervisor", "confit/supervisor/app", "confit/supervisor/try"},
	"config":  {"confit/linker", "confit/linker/near", "confit/signals", "github.com/spf13/pflag"},
	"linker":  {"confit/linker/document", "confit/linker/files", "confit/linker/generation", "confit/linker/lines", "confit/linker/mounts", "confit/linker/seed", "confit/linker/statedir", "confit/linker/target", "confit/linker/volume", "confit/linker/watch", "confit/linker/safedir", "golang.org/x/sys/unix"},
	"signals": {"golang.org/x/sys/unix"},
	"process": {"confit/process/entrypoint", "confit/signals", "golang.org/x/sys/unix"},

	"notify":     {},
	"status":     {},
	"supervisor": {"confit/config", "confit/linker", "confit/notify", "confit/process", "confit/process/entrypoint", "confit/signals", "confit/status", "confit/supervisor/app", "confit/supervisor/goal", "confit/supervisor/hooks", "confit/supervisor/ladder", "confit/supervisor/outcomes", "confit/supervisor/slots", "confit/supervisor/statusfile", "confit/supervisor/verdict"},

	// The packages below the supervisor. None knows another.
	"supervisor/app":      {"confit/notify", "confit/process", "confit/signals"},
	"supervisor/goal":     {},
	"supervisor/ladder":   {"confit/linker"},
	"supervisor/outcomes": {"confit/linker"},
	"supervisor/slots":    {},
	"supervisor/verdict":  {"confit/linker", "confit/status"},

	"supervisor/statusfile": {"confit/linker", "confit/signals", "confit/status"},

	// What looks at an app's entrypoint. It knows nothing of confit, so that the plugin's tests can hold it against a parser.
	"process/entrypoint": {},

	// What the supervisor and a try have in common, and the try.
	"supervisor/hooks": {"confit/config", "confit/linker", "confit/process"},
	"supervisor/try":   {"confit/config", "confit/linker", "confit/process", "confit/signals", "confit/supervisor", "confit/supervisor/hooks"},

	// What the linker stands on, from the ground up. Nobody else imports these, but config what finds a misspelt name.
	"linker/near":       {},
	"linker/files":      {"golang.org/x/sys/unix"},
	"linker/mounts":     {"confit/linker/files", "golang.org/x/sys/unix"},
	"linker/safedir":    {"confit/linker/files", "confit/linker/mounts", "golang.org/x/sys/unix"},
	"linker/seed":       {"confit/linker/files", "confit/linker/safedir", "golang.org/x/sys/unix"},
	"linker/statedir":   {"confit/linker/files", "confit/linker/safedir", "golang.org/x/sys/unix"},
	"linker/lines":      {"confit/linker/files"},
	"linker/document":   {"confit/linker/files", "confit/linker/lines", "confit/linker/safedir", "golang.org/x/sys/unix"},
	"linker/target":     {"confit/linker/files", "confit/linker/lines", "confit/linker/statedir", "confit/linker/safedir", "golang.org/x/sys/unix"},
	"linker/generation": {"confit/linker/files", "confit/linker/lines", "confit/linker/statedir", "confit/linker/target", "confit/linker/safedir", "golang.org/x/sys/unix"},
	"linker/watch":      {"confit/linker/files", "github.com/fsnotify/fsnotify", "golang.org/x/sys/unix"},
	"linker/volume":     {"confit/linker/files", "confit/linker/generation", "confit/linker/lines", "confit/linker/mounts", "confit/linker/near", "confit/linker/statedir", "confit/linker/watch", "confit/linker/safedir", "golang.org/x/sys/unix"},

	// What tests confit from outside knows nothing of its inside.
	"integration/internal/harness": {"confit/integration/testenv", "golang.org/x/sys/unix"},
	"integration/cluster":          {}, // the tests of confitctl use it, too

	// What tests know of the pages.
	"integration/markdown": {},

	// What tests hold of the answers to mistakes.
	"integration/answers": {}, // the tests of confitctl and of the plugin use it, too

	// What the tests of the linker know of file systems and kernels.
	"integration/testfs": {"golang.org/x/sys/unix"},

	"internal/screenshot": {}, // draws a picture of the README, and is no part of confit

	// What makes a release of both.
	"internal/release": {"confit/config"},

	// The other program, which is never linked into this one.
	"confitctl":          {"confit/confitctl/cli"},
	"confitctl/budget":   {},
	"confitctl/cli":      {"confit/confitctl/budget", "confit/confitctl/export", "confit/confitctl/fleet", "confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/life", "confit/confitctl/memory", "confit/confitctl/people", "confit/confitctl/post", "confit/confitctl/program", "confit/confitctl/render", "confit/confitctl/rollout", "confit/confitctl/snapshot", "confit/linker", "confit/process", "confit/status", "github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/net/http/httpguts", "golang.org/x/net/netutil"},
	"confitctl/export":   {"confit/linker", "confit/status", "github.com/prometheus/client_golang/prometheus", "github.com/prometheus/client_golang/prometheus/promhttp", "github.com/prometheus/client_model/go"},
	"confitctl/fleet":    {"confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/life", "confit/confitctl/memory", "confit/confitctl/patience", "confit/confitctl/rollout", "confit/confitctl/snapshot", "confit/status", "k8s.io/apimachinery/pkg/util/wait"},
	"confitctl/kube":     {"k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/util/validation", "k8s.io/client-go/rest", "k8s.io/client-go/tools/clientcmd", "k8s.io/klog/v2"},
	"confitctl/lease":    {"confit/confitctl/kube", "confit/confitctl/rollout", "k8s.io/api/coordination/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/runtime/serializer", "k8s.io/client-go/rest"},
	"confitctl/life":     {"confit/confitctl/rollout", "golang.org/x/sys/unix"},
	"confitctl/memory":   {"confit/confitctl/life", "confit/confitctl/rollout"},
	"confitctl/patience": {"confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/rollout", "k8s.io/apimachinery/pkg/util/wait"},
	"confitctl/people":   {"confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/patience", "confit/confitctl/rollout", "confit/confitctl/screen", "confit/status"}, // the plugin of kubectl has it, too
	"confitctl/post":     {"golang.org/x/net/http/httpguts"},
	"confitctl/program":  {"confit/linker/near", "github.com/spf13/cobra", "github.com/spf13/pflag"}, // the plugin of kubectl has it, too
	"confitctl/render":   {"github.com/Masterminds/sprig/v3", "go.yaml.in/yaml/v3"},
	"confitctl/rollout":  {},
	"confitctl/screen":   {"golang.org/x/term"}, // the plugin of kubectl has it, too
	// tests alone use it, those of the plugin, too
	"confitctl/slips":    {"confit/integration/answers", "github.com/spf13/cobra", "github.com/spf13/pflag"},
	"confitctl/snapshot": {"confit/confitctl/kube", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/util/validation", "k8s.io/client-go/dynamic", "k8s.io/client-go/metadata"},

	// The plugin of kubectl, which isn't, either.
	"kubectl-confit":          {"confit/kubectl-confit/cli"},
	"kubectl-confit/apply":    {"confit/kubectl-confit/check", "confit/kubectl-confit/cluster", "confit/kubectl-confit/follow", "confit/kubectl-confit/pods", "confit/kubectl-confit/verdict", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/sets", "k8s.io/cli-runtime/pkg/resource", "k8s.io/client-go/util/csaupgrade", "k8s.io/utils/ptr", "sigs.k8s.io/structured-merge-diff/v6/fieldpath"},
	"kubectl-confit/cli":      {"confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/people", "confit/confitctl/program", "confit/confitctl/rollout", "confit/confitctl/screen", "confit/kubectl-confit/apply", "confit/kubectl-confit/check", "confit/kubectl-confit/cluster", "confit/kubectl-confit/follow", "confit/kubectl-confit/inject", "confit/kubectl-confit/manifest", "confit/kubectl-confit/pods", "confit/kubectl-confit/registry", "confit/kubectl-confit/sync", "confit/kubectl-confit/tree", "confit/kubectl-confit/verdict", "confit/status", "github.com/spf13/cobra", "github.com/spf13/pflag", "k8s.io/api/coordination/v1", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/duration", "k8s.io/cli-runtime/pkg/genericclioptions", "k8s.io/cli-runtime/pkg/printers", "k8s.io/cli-runtime/pkg/resource", "mvdan.cc/sh/v3/syntax", "sigs.k8s.io/kustomize/api/krusty", "sigs.k8s.io/kustomize/kyaml/filesys"},
	"kubectl-confit/check":    {"confit/kubectl-confit/cluster", "confit/kubectl-confit/grace", "confit/kubectl-confit/pods", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/util/rand", "k8s.io/cli-runtime/pkg/resource"},
	"kubectl-confit/cluster":  {"confit/confitctl/kube", "confit/confitctl/lease", "confit/kubectl-confit/pods", "github.com/go-logr/logr", "github.com/gorilla/websocket", "github.com/spf13/pflag", "k8s.io/api/coordination/v1", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/fields", "k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/net", "k8s.io/apimachinery/pkg/util/wait", "k8s.io/apimachinery/pkg/watch", "k8s.io/cli-runtime/pkg/genericclioptions", "k8s.io/cli-runtime/pkg/resource", "k8s.io/client-go/dynamic", "k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/kubernetes/typed/core/v1", "k8s.io/client-go/metadata", "k8s.io/client-go/rest", "k8s.io/client-go/tools/cache", "k8s.io/client-go/tools/pager", "k8s.io/client-go/tools/remotecommand", "k8s.io/client-go/tools/watch", "k8s.io/client-go/util/exec", "k8s.io/klog/v2", "k8s.io/streaming/pkg/httpstream", "k8s.io/utils/clock", "k8s.io/utils/ptr"},
	"kubectl-confit/follow":   {"confit/confitctl/people", "confit/confitctl/rollout", "confit/kubectl-confit/cluster", "confit/kubectl-confit/pods", "confit/kubectl-confit/verdict", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/sets", "k8s.io/client-go/util/workqueue", "k8s.io/utils/clock", "k8s.io/utils/ptr"},
	"kubectl-confit/grace":    {"confit/kubectl-confit/pods", "k8s.io/api/core/v1"},
	"kubectl-confit/inject":   {"confit/linker/near", "confit/kubectl-confit/grace", "confit/kubectl-confit/tree", "go.yaml.in/yaml/v3", "k8s.io/api/core/v1"},
	"kubectl-confit/manifest": {"confit/kubectl-confit/tree", "github.com/aymanbagabas/go-udiff", "github.com/aymanbagabas/go-udiff/lcs", "go.yaml.in/yaml/v3"},
	"kubectl-confit/pods":     {"confit/status", "github.com/spf13/pflag", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/util/sets", "k8s.io/utils/ptr"},
	"kubectl-confit/registry": {"github.com/google/go-containerregistry/pkg/authn", "github.com/google/go-containerregistry/pkg/name", "github.com/google/go-containerregistry/pkg/v1", "github.com/google/go-containerregistry/pkg/v1/partial", "github.com/google/go-containerregistry/pkg/v1/remote", "github.com/google/go-containerregistry/pkg/v1/remote/transport"},
	"kubectl-confit/sync":     {"confit/kubectl-confit/pods", "confit/kubectl-confit/verdict", "k8s.io/api/core/v1"},
	"kubectl-confit/tree":     {"go.yaml.in/yaml/v3"},
	"kubectl-confit/verdict":  {"confit/kubectl-confit/pods", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/types"},

	// What the tests of the plugin have for a cluster.
	"kubectl-confit/internal/scripted": {"confit/kubectl-confit/pods", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/api/meta", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/fields", "k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/remotecommand", "k8s.io/apimachinery/pkg/version", "k8s.io/apimachinery/pkg/watch", "k8s.io/client-go/applyconfigurations", "k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/testing", "k8s.io/client-go/tools/clientcmd", "k8s.io/client-go/tools/clientcmd/api", "k8s.io/client-go/util/exec", "k8s.io/cri-streaming/pkg/streaming/remotecommand", "k8s.io/streaming/pkg/httpstream/wsstream", "k8s.io/utils/ptr"}, // tests alone use it
}
