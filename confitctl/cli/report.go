package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confit/confitctl/fleet"
	"confit/confitctl/program"
	"confit/confitctl/rollout"
	"confit/confitctl/snapshot"
	"confit/linker"
	"confit/status"
)

// reportFlags are the flags of report.
type reportFlags struct {
	fleetFlags
	volumes, secrets []string // that are part of the snapshot
}

func newReport() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use: "report --lease NAME [FLAG…]", Short: "tell the others how a change ended",
		Long: reportHelp, Example: reportExample, Args: program.FlagsAlone, Annotations: map[string]string{"after": reportAfter},
		RunE: func(c *cobra.Command, _ []string) error { return f.report(c.Context(), c.ErrOrStderr()) },
	}
	flags := c.Flags()
	f.register(flags)
	flags.StringSliceVar(&f.volumes, "snapshot", nil, "keep the accepted keys of `VOLUME` in a ConfigMap; several with commas")
	flags.StringSliceVar(&f.secrets, "snapshot-secrets", nil, "keep the accepted keys of `VOLUME` in a Secret; several with commas")
	return c
}

func (f *reportFlags) report(ctx context.Context, out io.Writer) error {
	outcome, err := outcome()
	if err != nil {
		return err
	}
	if hash, set := os.LookupEnv("CONFIT_HASH"); set && hash == "" {
		return nil // what is mounted can't be staged, as when a key is missing: no gate was asked about it
	}
	me, err := f.replica()
	if err != nil {
		return err
	}
	if os.Getenv("CONFIT_BOUND") != "" { // of a relapse
		if me.Bound, err = bound(); err != nil {
			return err
		}
	}
	objects, err := f.objects()
	if err != nil {
		return err
	}
	store, err := f.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	record, err := fleet.Report(ctx, store, me, outcome)
	if err != nil || len(objects) == 0 || !outcome.IsBack() {
		return err
	}
	return f.keep(ctx, fleet.Snapshot{Lease: store, Objects: objects, Source: source(me), Out: out}, record)
}

func outcome() (o rollout.Outcome, err error) {
	kind, err := required("CONFIT_OUTCOME")
	if err != nil {
		return o, err
	}
	if !slices.Contains(rollout.Kinds, rollout.Kind(kind)) {
		return o, program.Wrong("CONFIT_OUTCOME is %q, which this confitctl doesn't know: install the one of the confit that runs it", kind)
	}
	return rollout.Outcome{Kind: rollout.Kind(kind), Step: os.Getenv("CONFIT_STEP"), Source: os.Getenv("CONFIT_SOURCE")}, nil
}

// objects are those of the snapshot.
func (f *reportFlags) objects() (list []snapshot.Object, err error) {
	for _, volume := range f.volumes {
		list = append(list, snapshot.Object{Volume: volume})
	}
	for _, volume := range f.secrets {
		if slices.Contains(f.volumes, volume) {
			return nil, program.Wrong("--snapshot and --snapshot-secrets both name volume %q: choose one", volume)
		}
		list = append(list, snapshot.Object{Volume: volume, Secret: true})
	}
	for _, o := range list {
		if err := o.Check(f.lease); err != nil {
			return nil, program.Wrong("--snapshot: %w", err)
		}
	}
	return list, nil
}

// source is what confit has accepted, as it tells its hooks.
func source(me rollout.Replica) snapshot.Source {
	dir := os.Getenv("CONFIT_CANDIDATE")
	return snapshot.Source{
		Dir: dir, Hash: me.Accepted, InMemory: inMemory(filepath.Join(dir, "../..")),
		Local: strings.Split(os.Getenv("CONFIT_LOCAL"), "\n"),
	}
}

// inMemory are the volumes that are mounted from memory, of those that the status
// in confit's state directory names: it is two above each generation. Where there
// is no status, the modes of the keys say enough.
func inMemory(state string) (names []string) {
	data, err := linker.ReadStatus(state)
	if err != nil {
		return nil
	}
	s, err := status.Decode(data)
	if err != nil {
		return nil
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for _, v := range s.Volumes {
		if isInMemory(string(mounts), v.Path) {
			names = append(names, filepath.Base(v.Path))
		}
	}
	return names
}

// isInMemory reports whether a file system in memory is mounted on a directory as a whole. The
// kubelet does so for each Secret: emptyDir of the wrapped volume, pkg/volume/secret of
// Kubernetes. Any other volume is a directory of the node's disk, also where that is in memory.
// What is mounted last on a path is what is seen there: proc_pid_mountinfo(5).
func isInMemory(mountinfo, dir string) (whole bool) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for line := range strings.Lines(mountinfo) {
		mount, fileSystem, _ := strings.Cut(line, " - ")
		kind, _, _ := strings.Cut(fileSystem, " ")
		if at := strings.Fields(mount); len(at) > 4 && at[4] == mountEscapes.Replace(dir) {
			whole = at[3] == "/" && (kind == "tmpfs" || kind == "ramfs")
		}
	}
	return whole
}

// mountEscapes writes a path as mountinfo has it.
var mountEscapes = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)

// keep writes the snapshot, if this is the one to do it.
func (f *reportFlags) keep(ctx context.Context, s fleet.Snapshot, record rollout.Record) error {
	c, err := f.cluster()
	if err != nil {
		return err
	}
	if s.Store, err = snapshot.Open(c, f.lease); err != nil {
		return err
	}
	return s.Keep(ctx, record)
}
