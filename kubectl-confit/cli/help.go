package cli

// helpTemplate lays help out as a man page does, with the examples at its end.
// after is what stands between the flags and the examples.
const helpTemplate = `{{.Long}}

Usage
  {{if .HasParent}}{{.Parent.DisplayName}} {{end}}{{with .Annotations.cobra_annotation_command_display_name}}{{.}} [VERB]{{else}}{{.Use}}{{end}}
{{if .HasAvailableSubCommands}}
Verbs{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags
{{.LocalFlags.FlagUsages}}{{end}}{{with .Annotations.after}}
{{.}}
{{end}}{{if .HasExample}}
Examples
{{.Example}}
{{end}}`

const rootHelp = `kubectl confit is for people who have confit, the PID 1 of a container, in pods
of Kubernetes. kubectl finds it as kubectl-confit on the PATH.

Exit codes: 0, it is done; 1, it failed, and why is on stderr; 64, the command
line is wrong; 143, a signal ended it. What else there is the verb says.`

const rootExample = `  kubectl confit inject --help       what a verb does`

const injectHelp = `Rewrites pods so that they take edits of their configuration while they run.

Each key of a ConfigMap or Secret that a container mounts by subPath is copied
when the container starts, and never changes. In the rewritten pod confit is
PID 1 of that container, the key's volume is mounted as a whole below /confit,
and a link stands where the file was: confit follows the volume, checks, reloads
and rolls back. What confit does is in the variable CONFIT_LINES.

It reads manifests and writes them to stdout: YAML or JSON, one document or many,
lists, too. Pods, Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs and
CronJobs are rewritten, whatever their labels; all else passes as it is. A
document in which nothing changes stays byte for byte, and in the others every
line that has no reason to change. It makes what the admission policy makes of a
pod with the label confit: inject, for Git and for clusters without that policy.

A pod gets volumes in memory for the program, for confit's state, for the keys
and for the directories that hold links; an init container that brings the
program; and one for each container, of the container's own image, that copies
what the image has in those directories. A container can read no key that it
couldn't read before.

What is left alone is on stderr, with its line and why: volumes that are no
ConfigMap or Secret, directories, subPathExpr, mounts below another mount or
right in /, pods on Windows, with hostPID, or with confit.

Confit has to be told what to run. A container without command runs ENTRYPOINT
and CMD of its image, so they are read from the registry, with what docker login
left, and written down as command; CMD only if the container has no args. The
annotation CONTAINER.confit/entrypoint-of notes the image's digest. All platforms
of linux that the image has must agree. The flag --command goes before the
registry, and so does the annotation CONTAINER.confit/command, a word a line.

Annotations of the pod template become lines, for one container or for all:
CONTAINER.confit/validate or confit/validate, and so reload, stop-signal and
probation.

What it wrote it brings up to date when it is run again: the command and its note
if the image's tag means another image now, the image of what fills directories
if the container has another one, and with another --image confit's own. It
leaves all else alone that was rewritten before: to rewrite it anew, start from
the original.`

const injectAfter = `Exit codes
  0    stdout has the manifests; with --check: a run would change nothing
  1    it is refused, each reason with its line on stderr; stdout has nothing
  3    --check: a run would change something, on stderr with its line
  64   the command line is wrong
  143  a signal ended it`

const injectExample = `  kubectl confit inject -f web.yaml --image $CONFIT > web-confit.yaml
  helm template shop | kubectl confit inject -f - --image $CONFIT | kubectl apply -f -
  kubectl confit inject -f db.yaml --image $CONFIT --no-registry \
    --command db='docker-entrypoint.sh postgres'
  kubectl confit inject -f web-confit.yaml --check       # in CI: is it up to date?`
