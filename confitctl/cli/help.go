package cli

import "github.com/spf13/pflag"

// hideDefaults keeps what a flag got from confit's environment out of the help,
// which says so itself.
func hideDefaults(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flags.Lookup(name).DefValue = ""
	}
}

const rootHelp = `confitctl goes with confit, the PID 1 of a container. As confit's hooks it rolls
a change out over all replicas, renders templates and asks apps to reload by
HTTP; as a sidecar it shows Prometheus what confit does.

Each flag may stand in the environment, too: --lease as CONFITCTL_LEASE. The
command line wins. Exit codes: 0, it is done; 1, it failed, and why is on
stderr; 64, the command line is wrong; 130 or 143, ^C or TERM ended it.`

const rootExample = `  confitctl gate --help                       what a verb does
  confitctl --install /shared/confitctl       in an init container
  confitctl completion bash > /etc/bash_completion.d/confitctl`

const completionHelp = `Prints what completes confitctl's command line in a shell.

The help of each shell below says where to put it.`

const gateHelp = `Waits until this replica may go on with a changed configuration.

All replicas of a fleet share one Lease of Kubernetes. The first to ask tries a
change: the canary. When it has reported that its app is well with it, so many
others may that no more than a share of those known is in flight. A rejection
stops the change: the others are refused, and keep what they have.

A change is known by its hash. One is tried at a time. A verdict counts whoever
gives it, also late: an app that dies of the change soon after it was accepted
stops it, until its pod says more. One verdict rejects it, and two or one of a
hundred once it is proved: ten have accepted it, or an app has lived with it for
long.

The fleet goes back to what was stable before all at once, if that was proved.
A replica that starts with what is stable goes at once. A replica that doesn't
report within its time has lost its place; that delays the next canary by a
minute, then 2, 4 … 60, and rejects nothing.

It polls every 5 to 15 seconds, less often while the API server is slow, as long
as it takes, also while the API server is away, and says on stderr what it waits
for. A replica that starts doesn't wait: confit then starts it on what it
accepted before. What it has seen is in seen.json of confit's state directory,
for the next gate.

Several containers of a pod that run confit need a --container each. Without it
the second is refused while the first tries a change.

--wait waits until the hash is stable and nobody is in flight, or until it is
rejected. Without --hash it is about whatever has begun, become stable or been
rejected since two minutes before (--begin), and over when nothing has happened
for as long. If there is nothing of that, it ends with 4. With --hash, as kubectl
confit sync prints it, half a minute without news is enough.

With --status, --wait, --pause, --resume, --retry, --promote or --abort it is for
people, and needs no environment.`

const gateAfter = `Environment
  CONFIT_HASH, CONFIT_ACCEPTED, CONFIT_BOUND, CONFIT_STARTING, CONFIT_CANDIDATE:
  confit sets them.
  A bound of more than a day is refused: so long the fleet would wait for a
  replica that is lost.

The Lease
  The manifest makes it, and a role lets the pods get and update that one name:
    apiVersion: coordination.k8s.io/v1
    kind: Lease
    metadata: {name: web}
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata: {name: web-rollout}
    rules:
    - apiGroups: [coordination.k8s.io]
      resources: [leases]
      resourceNames: [web]
      verbs: [get, update]

The container
    env:
    - {name: CONFITCTL_LEASE, value: web}
    - name: CONFITCTL_REVISION
      valueFrom: {fieldRef: {fieldPath: "metadata.labels['pod-template-hash']"}}
      # in a StatefulSet or DaemonSet controller-revision-hash, in a Rollout of
      # Argo rollouts-pod-template-hash
    - name: CONFITCTL_POD_UID
      valueFrom: {fieldRef: {fieldPath: metadata.uid}}

Exit codes
  0    go on; with --wait: it is stable, and nobody is in flight
  1    refused, with why on stderr; or a person has to fix the Lease or its
       role; with --wait: it isn't over
  3    with --wait: it was rejected
  4    with --wait: nothing has begun
  64   the command line or the environment is wrong
  143  TERM ended it; 130: ^C did`

const gateExample = `  gate    confitctl gate                      in confit's links file
  report  confitctl report

  confitctl gate --lease web --status         for people
  confitctl gate --lease web --wait --timeout 30m
  confitctl gate --lease web --pause
  confitctl gate --lease web --retry 3fa1b2`

const reportHelp = `Tells the fleet how a change ended in this replica, and gives back its place.

What it says counts for a change that is tried or stable, and once: to repeat it
changes nothing. Accepted counts for the change, if the gate let it through.
Rejected after the app could read it and rolled-back count against it, whoever
says it, for every replica of the same image and pod template. Relapsed stops it
until this replica says more, and soaked proves it. Superseded and stopped only
end the attempt, and the latter delays the next canary, as the kubelet may have
stopped what was unwell. What the gate itself refused says nothing.

With --snapshot it also keeps what the fleet has proved, for new pods to start
on: the keys of VOLUME in the ConfigMap LEASE-accepted-VOLUME, or, with
--snapshot-secrets, in a Secret of that name. Any replica that has accepted it
writes it. An older rollout never overwrites a newer one. Local keys are left
out. A volume with nested keys or more than 1 MiB doesn't fit. One that may be a
Secret isn't for --snapshot: not everybody may read its keys, or it is mounted
from memory. Then nothing is written, and stderr says why. A snapshot that can't
be written stops no rollout.

It tries for 25 seconds. confit repeats it until it succeeds. No reason is sent
anywhere: CONFIT_REASON may quote what a hook printed.`

const reportAfter = `Environment
  CONFIT_HASH, CONFIT_OUTCOME, CONFIT_STEP, CONFIT_SOURCE: confit sets them
  CONFIT_BOUND: of a relapse, when it will say more at the latest
  CONFIT_CANDIDATE, CONFIT_ACCEPTED, CONFIT_LOCAL: with --snapshot

The snapshot
  The manifest makes empty objects, a role lets the pods get and update those
  names, and confit's --fallback finds them where they are mounted:

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: web-accepted-site}
    ---
    - apiGroups: [""]
      resources: [configmaps]
      resourceNames: [web-accepted-site]
      verbs: [get, update]
    ---
    - {name: site, configMap: {name: web-accepted-site, optional: true}}
    - {name: site, mountPath: /fallback/site, readOnly: true}

Exit codes
  0    it is stored, or there was nothing to store; why there is no snapshot is
       on stderr
  1    it isn't, with why on stderr
  64   the command line or the environment is wrong
  143  TERM ended it; 130: ^C did`

const reportExample = `  # in confit's links file
  report    confitctl report --snapshot site --snapshot-secrets tls
  fallback  /fallback`

const renderHelp = `Makes files out of Go templates with the functions of sprig.

What a template asks for and isn't there is an error: a file, a variable, a key
of a map. So is all that sprig takes for nothing or for zero: text that is no
number or no base64, the first of an empty list, an integer that doesn't fit,
a printf whose verbs don't. Errors name file, line and column. Functions that
depend on a clock or on chance aren't there, so that every start and every
replica makes the same bytes.

Besides sprig's there are
  env NAME       a variable of the environment; hasEnv NAME, whether it is set
  file PATH      the bytes of a file below --dir; hasFile PATH
  files GLOB     the paths of those that match
  fromYaml, fromJson, toYaml
                 one document, no key twice; numbers keep the text that they
                 have: 104857600, 1.10
  include NAME DOT, tpl TEXT DOT, required MESSAGE VALUE
                 as in Helm

A template is called by its base name: {{template "upstream.tmpl" .}}. The file
that it makes has that name without .tmpl, .tpl or .gotmpl. Nothing is written
before all were rendered.

A file has 16 MiB at most, and a list of numbers 1,048,576.`

const renderAfter = `Exit codes
  0    all files are written
  1    a template failed, with where and why on stderr; nothing is written
  64   the command line is wrong`

const renderExample = `  # in confit's links file: nginx.conf out of a ConfigMap, a Secret and the
  # environment
  input   web/nginx.conf.tmpl
  input   tls/password
  render  confitctl render {candidate}/web/nginx.conf.tmpl
  link    {rendered}/nginx.conf  /etc/nginx/nginx.conf

  # nginx.conf.tmpl
  worker_processes {{env "CPUS"}};
  proxy_set_header X-Token {{file "tls/password" | trim | quote}};`

const postHelp = `Sends an HTTP request, for apps that reload when they are asked to.

It succeeds when the answer has the expected status. An app that doesn't listen
yet, or answers 429 or 5xx, is asked again, after 200 ms and then twice as long,
up to 5 s, or as long as its Retry-After says. If that is after --deadline, it
gives up at once. Any other answer is the end, and its first 4 KiB are on stderr.
Redirects aren't followed, and no proxy is used without --proxy. Neither the
query of the URL nor the value of a header is printed.`

const postAfter = `Exit codes
  0    the app answered as expected
  1    it didn't, with its answer on stderr
  64   the command line is wrong
  143  TERM ended it; 130: ^C did; the last answer is on stderr`

const postExample = `  # in confit's links file
  reload  exec:confitctl post http://127.0.0.1:9090/-/reload

  confitctl post --unix /run/caddy/admin.sock --header 'Host: localhost' \
    --header 'Content-Type: text/caddyfile' --data @/etc/caddy/Caddyfile http://caddy/load
  confitctl post --token-file /run/secrets/token --expect 200,204 https://127.0.0.1:8443/reload`

const exportHelp = `Serves /metrics of confit's status.json for Prometheus, read anew at each scrape.

It is a sidecar with confit's state directory mounted read-only. Names follow
Prometheus' own: confit_config_last_reload_successful and
confit_config_last_reload_success_timestamp_seconds, confit_config_mounted_info
with the hash, confit_config_change_pending_seconds and so on. A status that
can't be read, or be made metrics of, is confit_status_readable 0. /healthz tells
that the exporter itself is well, whatever confit does.

It serves 64 connections at a time, and ends what is silent for 30 seconds.`

const exportAfter = `Exit codes
  0    a signal ended it
  1    it can't listen
  64   the command line is wrong`

const exportExample = `  - name: metrics
    image: example.com/confitctl
    args: [export, --state, /confit-state]
    ports: [{name: metrics, containerPort: 9533}]
    volumeMounts: [{name: confit, mountPath: /confit-state, readOnly: true}]

  # alert: a change that was rejected, or hangs
  confit_config_last_reload_successful == 0
    or confit_config_change_pending_seconds > 300
       unless confit_app_entrypoint_seconds > 0`
