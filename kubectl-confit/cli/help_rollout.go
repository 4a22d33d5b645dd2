package cli

import "confit/confitctl/people"

const rolloutHelp = `Shows and steers what confitctl gate rolls out over all replicas of a fleet: a
hash of the configuration at a time, one canary first, and the others when that
has accepted it. The record of it stands in a Lease, and LEASE is its name: web
or lease/web. A workload such as deployment/web stands for the Lease that
--lease of the gate in its template names, or the variable CONFITCTL_LEASE.
docs/fleet.md has the rules.

What confitctl gate --status and its other flags for people do inside of a pod,
these verbs do from where kubectl is. An API server that is away they wait for,
half a minute, or with status --wait for the --timeout.`

const rolloutExample = `  kubectl confit rollout status web
  kubectl confit rollout status web --wait --timeout 30m
  kubectl confit rollout abort web
  kubectl confit rollout status --help        what a verb does`

const rolloutStatusHelp = `Shows a rollout: which hash is stable, tried or rejected in each revision, how
many have accepted it, and which pod is in flight since when, and until when it
may be.

When a pod has rejected what is tried, it is asked why, by confit --status=json,
as kubectl confit status asks. The step, the reason and what the hook printed
are shown. Without the right to run commands in pods it says what the API tells.
Nobody is asked as long as nobody has rejected anything. No value of a key is
read or printed here. What a hook printed may hold what the hook saw.

What a validator refuses in all pods is never tried, so it isn't here: kubectl
confit status shows it.

--wait waits until the hash is stable and nobody is in flight, or until it is
rejected, and shows the rollout then. --hash says which one: kubectl confit
wait, sync and apply print it. Then two of a gate's looks without news, half a
minute, are enough. Without --hash it is about whatever has begun, become stable
or been rejected since two minutes before (--begin), and over when nothing has
happened for as long. Pods whose spec names the Lease are asked what they have
mounted, and what the record doesn't know yet is waited for. If nothing begins,
it ends with 4, or with 3 when a pod's confit has refused it before its gate. How
many replicas there are it doesn't know: kubectl confit wait does.`

const rolloutStatusAfter = `Exit codes
  0    the rollout is shown; with --wait: it is stable, and nobody is in flight
  1    it can't be read, and why is on stderr; with --wait: it isn't over
  3    with --wait: it was rejected
  4    with --wait: nothing has begun
  64   the command line is wrong
  143  TERM ended it; 130: ^C did

With --wait stderr has the progress.

-o json
  namespace, lease, code, why; paused, pausedAt, snapshot; revisions[]: name,
  seen, hashes[]: hash, state, proved, since, tried, canaries, accepted, losses,
  waits, pods[]: name, uid, state, step, since, until, waits; words[]: hash, and
  of each pod that has rejected it what pods[] of kubectl confit status has, with
  no keys. Fields are added, never taken away. Other formats are kubectl's; -o
  name is the Lease.`

const rolloutStatusExample = `  kubectl confit rollout status web -n shop
  kubectl confit rollout status web --wait --timeout 30m \
    --hash "$(kubectl confit sync configmap/web -o json | jq -r .hash)"
  kubectl confit rollout status web -o json | jq '.words[].output'`

// orderHelp is what each verb that changes a rollout says of itself.
var orderHelp = map[people.Verb]string{
	people.Pause: `Pauses a rollout: no replica gets a place. Those in flight go on to their
verdict, and replicas that start on what is stable do so at once.`,
	people.Resume: `Resumes a rollout that was paused, by a person or by a verdict. A pod of ten or
more that rejects a hash pauses it for ten minutes, and one whose app has ended
late until it says more; resume doesn't wait for that.`,
	people.Retry: `Forgets that a hash was rejected, or that canaries of it were lost, in each
revision: for a reason that is gone. It needs a canary anew. Replicas whose gate
has refused it ask again by themselves.`,
	people.Promote: `Lets the hash that is tried go to all replicas at once, makes it stable, and
ends each pause. A verdict against it still counts.`,
	people.Abort: `Rejects the hash that is tried: nobody else begins with it, and what was stable
before is stable again. Replicas that have it keep it until the ConfigMap or
Secret is put back. Then they go back all at once. kubectl confit rollout retry
takes that back.`,
}

const orderAfter = `It changes nothing if that is so already, and shows the rollout as it is then.

Exit codes
  0    it is stored
  1    it isn't, and why is on stderr
  64   the command line is wrong
  143  TERM ended it; 130: ^C did

-o is that of kubectl confit rollout status, without words.`

var orderExample = map[people.Verb]string{
	people.Pause:   `  kubectl confit rollout pause web -n shop`,
	people.Resume:  `  kubectl confit rollout resume web`,
	people.Retry:   `  kubectl confit rollout retry web --hash 3fa1b2`,
	people.Promote: `  kubectl confit rollout promote web`,
	people.Abort:   `  kubectl confit rollout abort web && kubectl apply -f web-before.yaml`,
}
