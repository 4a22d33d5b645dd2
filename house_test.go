package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The top level is the map of the house: main.go brings the packages together,
// the tests beside it hold what is true of the whole, and all else has a folder.

// mayImport is the import table: whom each package may know besides the standard
// library.
var mayImport = map[string][]string{
	".":          {"confit/config", "confit/linker", "confit/notify", "confit/process", "confit/signals", "confit/status", "confit/supervisor", "confit/supervisor/try"},
	"config":     {"confit/internal/near", "confit/linker", "confit/signals", "github.com/spf13/pflag"},
	"linker":     {"confit/linker/document", "confit/linker/files", "confit/linker/generation", "confit/linker/lines", "confit/linker/mounts", "confit/linker/seed", "confit/linker/statedir", "confit/linker/target", "confit/linker/volume", "confit/linker/watch", "confit/linker/way", "golang.org/x/sys/unix"},
	"signals":    {"golang.org/x/sys/unix"},
	"process":    {"confit/signals", "golang.org/x/sys/unix"},
	"notify":     {},
	"status":     {},
	"supervisor": {"confit/config", "confit/linker", "confit/notify", "confit/process", "confit/signals", "confit/status", "confit/supervisor/hooks"},

	// What the supervisor and a try have in common, and the try.
	"supervisor/hooks": {"confit/config", "confit/linker", "confit/process"},
	"supervisor/try":   {"confit/config", "confit/linker", "confit/process", "confit/signals", "confit/supervisor/hooks"},

	// What the linker stands on, from the ground up. Nobody else imports these.
	"linker/files":      {"golang.org/x/sys/unix"},
	"linker/mounts":     {"confit/linker/files", "golang.org/x/sys/unix"},
	"linker/way":        {"confit/linker/files", "confit/linker/mounts", "golang.org/x/sys/unix"},
	"linker/seed":       {"confit/linker/files", "confit/linker/way", "golang.org/x/sys/unix"},
	"linker/statedir":   {"confit/linker/files", "confit/linker/way", "golang.org/x/sys/unix"},
	"linker/lines":      {"confit/linker/files"},
	"linker/document":   {"confit/linker/files", "confit/linker/lines", "golang.org/x/sys/unix"},
	"linker/target":     {"confit/linker/files", "confit/linker/lines", "confit/linker/statedir", "confit/linker/way", "golang.org/x/sys/unix"},
	"linker/generation": {"confit/linker/files", "confit/linker/lines", "confit/linker/statedir", "confit/linker/target", "golang.org/x/sys/unix"},
	"linker/watch":      {"confit/linker/files", "github.com/fsnotify/fsnotify", "golang.org/x/sys/unix"},
	"linker/volume":     {"confit/internal/near", "confit/linker/files", "confit/linker/generation", "confit/linker/lines", "confit/linker/statedir", "confit/linker/watch", "golang.org/x/sys/unix"},

	// What tests confit from outside knows nothing of its inside.
	"integration/internal/harness": {"confit/integration/world", "golang.org/x/sys/unix"},
	"integration/cluster":          {}, // the tests of confitctl use it, too

	"internal/near": {},

	// What tests know of the pages. No program is linked with it.
	"internal/markdown": {},

	// What the tests of the linker know of file systems and kernels.
	"internal/surroundings": {"golang.org/x/sys/unix"},

	// What makes a release of both.
	"release": {"confit/config"},

	// The other program, which is never linked into this one.
	"confitctl":          {"confit/confitctl/cli"},
	"confitctl/budget":   {},
	"confitctl/cli":      {"confit/confitctl/budget", "confit/confitctl/export", "confit/confitctl/fleet", "confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/life", "confit/confitctl/post", "confit/confitctl/render", "confit/confitctl/rollout", "confit/confitctl/snapshot", "confit/linker", "confit/status", "github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/net/http/httpguts", "golang.org/x/net/netutil"},
	"confitctl/export":   {"confit/linker", "confit/status", "github.com/prometheus/client_golang/prometheus", "github.com/prometheus/client_golang/prometheus/promhttp", "github.com/prometheus/client_model/go"},
	"confitctl/fleet":    {"confit/confitctl/kube", "confit/confitctl/lease", "confit/confitctl/rollout", "confit/confitctl/snapshot"},
	"confitctl/kube":     {"k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/util/validation", "k8s.io/client-go/rest", "k8s.io/client-go/tools/clientcmd", "k8s.io/klog/v2"},
	"confitctl/lease":    {"confit/confitctl/kube", "confit/confitctl/rollout", "k8s.io/api/coordination/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/runtime/serializer", "k8s.io/client-go/rest"},
	"confitctl/life":     {"confit/confitctl/rollout", "golang.org/x/sys/unix"},
	"confitctl/post":     {"golang.org/x/net/http/httpguts"},
	"confitctl/render":   {"github.com/Masterminds/sprig/v3", "go.yaml.in/yaml/v3"},
	"confitctl/rollout":  {},
	"confitctl/snapshot": {"confit/confitctl/kube", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/util/validation", "k8s.io/client-go/dynamic", "k8s.io/client-go/metadata"},

	// The plugin of kubectl, which isn't, either.
	"kubectl-confit":         {"confit/kubectl-confit/cli"},
	"kubectl-confit/cli":     {"confit/kubectl-confit/check", "confit/kubectl-confit/cluster", "confit/kubectl-confit/follow", "confit/kubectl-confit/inject", "confit/kubectl-confit/manifest", "confit/kubectl-confit/pods", "confit/kubectl-confit/registry", "confit/kubectl-confit/sync", "confit/kubectl-confit/tree", "confit/kubectl-confit/verdict", "confit/status", "github.com/spf13/cobra", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/duration", "k8s.io/cli-runtime/pkg/printers", "mvdan.cc/sh/v3/syntax"},
	"kubectl-confit/check":   {"confit/kubectl-confit/cluster", "confit/kubectl-confit/pods", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/api/meta", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/util/rand", "k8s.io/cli-runtime/pkg/resource"},
	"kubectl-confit/cluster": {"confit/kubectl-confit/pods", "github.com/go-logr/logr", "github.com/spf13/pflag", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/fields", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/wait", "k8s.io/apimachinery/pkg/watch", "k8s.io/cli-runtime/pkg/genericclioptions", "k8s.io/cli-runtime/pkg/resource", "k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/kubernetes/typed/core/v1", "k8s.io/client-go/rest", "k8s.io/client-go/tools/cache", "k8s.io/client-go/tools/pager", "k8s.io/client-go/tools/remotecommand", "k8s.io/client-go/util/exec", "k8s.io/klog/v2", "k8s.io/streaming/pkg/httpstream", "k8s.io/utils/ptr"},
	"kubectl-confit/cluster/scripted": {"confit/kubectl-confit/pods", "confit/status", "gopkg.in/evanphx/json-patch.v4", "k8s.io/api/core/v1",
		"k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/api/meta", "k8s.io/apimachinery/pkg/apis/meta/v1",
		"k8s.io/apimachinery/pkg/fields", "k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/runtime",
		"k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/managedfields",
		"k8s.io/apimachinery/pkg/util/remotecommand", "k8s.io/apimachinery/pkg/util/strategicpatch", "k8s.io/apimachinery/pkg/util/yaml",
		"k8s.io/apimachinery/pkg/version", "k8s.io/apimachinery/pkg/watch", "k8s.io/client-go/applyconfigurations",
		"k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/tools/clientcmd", "k8s.io/client-go/tools/clientcmd/api",
		"k8s.io/client-go/util/exec", "k8s.io/cri-streaming/pkg/streaming/remotecommand", "k8s.io/streaming/pkg/httpstream/wsstream"}, // tests alone use it
	"kubectl-confit/follow":   {"confit/kubectl-confit/cluster", "confit/kubectl-confit/pods", "confit/kubectl-confit/verdict", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/types", "k8s.io/utils/clock"},
	"kubectl-confit/inject":   {"confit/kubectl-confit/tree", "go.yaml.in/yaml/v3"},
	"kubectl-confit/manifest": {"confit/kubectl-confit/tree", "github.com/aymanbagabas/go-udiff", "github.com/aymanbagabas/go-udiff/lcs", "go.yaml.in/yaml/v3"},
	"kubectl-confit/pods":     {"confit/status", "github.com/spf13/pflag", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/types"},
	"kubectl-confit/registry": {"github.com/google/go-containerregistry/pkg/authn", "github.com/google/go-containerregistry/pkg/name", "github.com/google/go-containerregistry/pkg/v1", "github.com/google/go-containerregistry/pkg/v1/remote", "github.com/google/go-containerregistry/pkg/v1/remote/transport"},
	"kubectl-confit/sync":     {"confit/kubectl-confit/pods", "confit/kubectl-confit/verdict", "k8s.io/api/core/v1"},
	"kubectl-confit/tree":     {"go.yaml.in/yaml/v3"},
	"kubectl-confit/verdict":  {"confit/kubectl-confit/pods", "confit/status", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/types"},
}

// forbidden is the part of the standard library that a package must not know.
var forbidden = map[string][]string{
	".":          {"syscall", "os/exec", "os/signal", "path/filepath"},
	"config":     {"syscall", "os/exec", "os/signal"},
	"linker":     {"os/exec", "os/signal", "time"},
	"signals":    {"os/exec", "path/filepath", "time"},
	"process":    {"os/exec", "os/signal"},
	"notify":     {"os/exec", "os/signal", "net", "path/filepath", "time"},
	"status":     {"os", "os/exec", "os/signal", "syscall", "path/filepath", "io/fs", "log/slog"},
	"supervisor": {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},

	"supervisor/hooks": {"os", "os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},
	"supervisor/try":   {"os/exec", "os/signal", "syscall", "path", "path/filepath", "io/fs"},

	"linker/files":      {"os/exec", "os/signal", "time", "log"},
	"linker/mounts":     {"os/exec", "os/signal", "time", "log"},
	"linker/way":        {"os/exec", "os/signal", "time", "log", "log/slog", "path/filepath"},
	"linker/seed":       {"os/exec", "os/signal", "time", "log", "log/slog"},
	"linker/statedir":   {"os/exec", "os/signal", "time", "log", "log/slog"},
	"linker/lines":      {"os", "os/exec", "os/signal", "time", "log", "log/slog", "syscall"},
	"linker/document":   {"os/exec", "os/signal", "time", "log", "log/slog"},
	"linker/target":     {"os", "os/exec", "os/signal", "time", "log", "syscall"},
	"linker/generation": {"os/exec", "os/signal", "time", "log", "path/filepath"},
	"linker/watch":      {"os/exec", "os/signal", "time", "log"},
	"linker/volume":     {"os/exec", "os/signal", "time", "log"},

	"confitctl/budget":   {"os/exec", "os/signal"},
	"confitctl/export":   {"os", "os/exec", "os/signal"},
	"confitctl/fleet":    {"net/http", "os"},
	"confitctl/kube":     {"os/signal", "math/rand/v2"},
	"confitctl/lease":    {"os", "os/signal", "math/rand/v2"},
	"confitctl/life":     {"os/exec", "os/signal", "math/rand/v2", "net/http"},
	"confitctl/post":     {"os/exec", "os/signal"},
	"confitctl/render":   {"net/http", "os/exec", "os/signal", "time"},
	"confitctl/rollout":  {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os"}, // it decides, and does nothing
	"confitctl/snapshot": {"os/signal", "math/rand/v2", "time"},

	"kubectl-confit/cli":      {"os/exec", "net/http"},
	"kubectl-confit/check":    {"os", "os/exec", "os/signal", "log", "net/http", "math/rand/v2"},
	"kubectl-confit/cluster":  {"os", "os/exec", "os/signal", "log", "math/rand/v2"},
	"kubectl-confit/follow":   {"os", "os/exec", "os/signal", "log", "net/http"},
	"kubectl-confit/inject":   {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath", "time"}, // it decides, and does nothing
	"kubectl-confit/manifest": {"context", "io/fs", "log", "net", "net/http", "os", "path/filepath", "time"},
	"kubectl-confit/pods":     {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath", "time"},
	"kubectl-confit/registry": {"os", "os/exec"},
	"kubectl-confit/sync":     {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath"},
	"kubectl-confit/tree":     {"context", "io", "io/fs", "log", "net", "net/http", "os", "time"},
	"kubectl-confit/verdict":  {"context", "io", "io/fs", "log", "math/rand/v2", "net", "net/http", "os", "path/filepath"},
}

// source is a file that goes into the program, and its package's directory.
type source struct {
	dir, path string
	file      *ast.File
	set       *token.FileSet
}

// sources are all of them.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	for dir := range mayImport {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("package %s has no files: %v", dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, source{dir, path, file, set})
		}
	}
	return list
}

// TestImportTable holds the table.
func TestImportTable(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			own := strings.Contains(path, ".") || strings.HasPrefix(path, "confit/")
			if (own && !slices.Contains(mayImport[s.dir], path)) || slices.Contains(forbidden[s.dir], path) {
				t.Errorf("%s must not know %s", s.path, path)
			}
		}
	}
}

// The bounds of the house, in lines.
const (
	maxMain     = 120 // main parses, builds and runs, and no more
	maxFunction = 50
	maxMedian   = 9 // of a function
	maxFile     = 300
)

// TestFunctionsAreShort: none is too long, and most are far shorter.
func TestFunctionsAreShort(t *testing.T) {
	var all []int
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			if lines > maxFunction {
				t.Errorf("%s: %s has %d lines", s.path, f.Name, lines)
			}
			all = append(all, lines)
		}
	}
	slices.Sort(all)
	if median := all[len(all)/2]; median > maxMedian {
		t.Errorf("half of %d functions have %d lines or more", len(all), median)
	}
}

// TestFilesAreShort: those of tests and tools, too.
func TestFilesAreShort(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		lines, bound := strings.Count(string(text), "\n"), maxFile
		if path == "main.go" {
			bound = maxMain
		}
		if lines > bound {
			t.Errorf("%s has %d lines", path, lines)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestExportedNamesAreDocumented, but for methods that every error has.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.path, name)
			}
		}
	}
}

// undocumented lists the exported names of a declaration without a comment. One
// of several that are declared together may be explained by a comment on them all
// or at the end of its line.
func undocumented(d ast.Decl) (names []string) {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Doc == nil && f.Name.IsExported() && exportedReceiver(f) && f.Name.Name != "Error" && f.Name.Name != "Unwrap" {
			names = append(names, f.Name.Name)
		}
		return names
	}
	group := d.(*ast.GenDecl)
	for _, spec := range group.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && group.Doc == nil {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil && group.Doc == nil {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}
