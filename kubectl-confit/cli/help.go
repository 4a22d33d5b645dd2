package cli

const rootHelp = `kubectl confit is for people who have confit, the PID 1 of a container, in pods
of Kubernetes. kubectl finds it as kubectl-confit on the PATH.

Exit codes: 0, it is done; 1, it failed, and why is on stderr; 64, the command
line is wrong; 130 or 143, ^C or TERM ended it. What else there is the verb says.`

const rootExample = `  kubectl confit status --help       what a verb does`

const injectHelp = `Rewrites pods so that they take edits of their configuration while they run.

A key of a ConfigMap or Secret that a container mounts by subPath is copied when
the container starts, and never changes. In the rewritten pod confit is PID 1 of
that container, the key's volume is mounted below /confit, and a link stands
where the file was. confit follows the volume, checks a change, reloads the app
and rolls back. The variable CONFIT_LINES says what it does.

It reads manifests, YAML or JSON, and writes them to stdout, those of several
files as one stream. -f, -R and -k are kubectl's, but for URLs. It rewrites Pods,
Deployments, StatefulSets, DaemonSets, ReplicaSets, ReplicationControllers, Jobs,
CronJobs, PodTemplates and Argo's Rollouts, in lists, too, and whatever their
labels are. What else has a pod's template is named. All else passes as it is. A
document in which nothing changes stays byte for byte; of the others stay
comments, order, and each line that has no reason to change. The pod becomes what
the admission policy makes of it in a cluster that has that.

A pod gets volumes in memory for the program, confit's state, the keys, and the
directories that hold links. An init container brings the program. For each
container one copies what the container's image has in those directories, and one
makes the links. A container can read no key that it couldn't read before, and
write nowhere where it couldn't; with readOnlyRootFilesystem the directories are
read-only.

A line for each pod on stderr says how many keys follow, and what is missing: a
check; directories and envFrom that don't follow; a checksum annotation that
makes new pods anyway. What stays as it is, is there, too, with its line and
why: subPath of a directory, subPathExpr, mounts below another mount or right in
/, projected volumes, mounts of init containers; pods for Windows, with hostPID,
or with confit; Jobs without the annotation confit/reload. So is a grace period
that is over before confit gives TERM to a script at the entrypoint, which a stop
waits for.

confit has to know what to start. Where a container has no command, ENTRYPOINT
and CMD come from its image, and are written down as its command; CMD only if the
container has no args. Registries are asked with what docker login left. All
platforms of linux that the image has must agree. The annotation
CONTAINER.confit/entrypoint-of notes the image's digest. --command goes before
the annotation CONTAINER.confit/command, a word a line, and that before the
registry.

Annotations of the pod become lines of CONFIT_LINES, for one container or for all
of them: CONTAINER.confit/validate or confit/validate, and so reload, stop-signal
and probation. Other names, and values that confit would refuse, are an error.

Run on its own output, it brings up to date what it wrote: the command and its
note if the image's tag stands for another image now; the image that fills the
directories, if the container has another one; the lines of annotations that were
changed; and with another --image confit's own. All else of a pod that has confit
stays. To have it rewritten anew, start from the original.`

const injectAfter = `Exit codes
  0    stdout has the manifests; with --check: a run would change nothing
  1    it is refused, each reason with its line on stderr; stdout has nothing
  3    --check: a run would change something, on stderr with its line
  64   the command line is wrong
  143  TERM ended it; 130: ^C did`

const injectExample = `  kubectl confit inject -f web.yaml --image $CONFIT > web-confit.yaml
  helm template shop | kubectl confit inject -f - --image $CONFIT | kubectl apply -f -
  kubectl confit inject -f db.yaml --image $CONFIT --no-registry \
    --command db='docker-entrypoint.sh postgres'
  kubectl confit inject -f web-confit.yaml --check       # in CI: is it up to date?`
