package cli

const statusHelp = `Shows which pods have what the API has, and why the others don't.

A row is a container with confit that mounts the objects. Objects are ConfigMaps
and Secrets: configmap/web, secret/tls, or several. A pod or a workload
(deployment, statefulset, daemonset, replicaset, job, cronjob, Argo's rollout)
stands for its pods, with all objects that these mount; several stand for all of
theirs. Without a name it is all pods of the namespace that have confit, or with
-A of all namespaces.

KEYS is how many keys are accepted, of those that the container's lines take. The
keys that aren't are listed below. STATE is a word:

  accepted    the app has it, and is well with it
  live        the app has it; confit waits for the proof, or for the app's
              entrypoint before that; or the app isn't well
  gated       it is valid, and waits for the gate
  on its way  it is mounted, and confit works on it, or waits for the app's
              entrypoint; or the app died of it, and is tried on what was accepted
              before
  behind      the kubelet has not brought it yet, or can't; or confit looks after
              its splay, its probation or the app's entrypoint
  starting    the container doesn't run, or has not come up yet
  ended       it has ended and isn't started again, or is being deleted
  asked       with --watch: there is no answer yet
  unfollowed  it is mounted, but confit takes no key of it
  unknown     nobody can say; WHY has the reason
  stuck       confit applies no change: the system refuses, a volume hangs, or it
              broke down; WHY has the reason
  rejected    confit has refused it; WHY has the step and the reason, and what
              the hook printed stands below

A container counts as one with confit if the pod's spec says so: its command is
confit, something is mounted below /confit, or there is the annotation
confit/exec (CONTAINER.confit/exec for one container) with the words by which
confit is called there. In these it runs confit --status=json, for at most 10 s,
in 16 containers at a time. Without the right to do so it says what the API tells:
a container that ended with 78 has rejected what was mounted.

Containers that have an object of these without confit, or only by subPath or in
the environment, are named on stderr: nobody can say what their apps have read.

With --watch an API server that is away is waited for, and that is said once.

No value of a key is read by a pod or printed here: what is compared is hashes.
What the hook of a pod printed is shown, and may hold what the hook saw.`

const statusAfter = `Exit codes
  0    nobody has rejected anything, and everybody could be asked
  1    somebody could not be asked, or there is nobody to ask
  3    a container has rejected what is mounted, applies no change, or isn't well:
       where confit's own --status is 3, the kubelet starts it again and again, or
       the record says that others have rejected what it waits with at its gate
  64   the command line is wrong
  143  TERM ended it; 130: ^C did

-o json
  namespace, code, why, hash; objects[]: kind, name, resourceVersion, immutable;
  pods[]: pod, uid, node, container, state, since, why, step, attempts, output,
  hash, soaked, soaksAt, keys[]: object, volume, path, state, gone; without[]:
  pod, uid, container, use (directory, start). Fields are added, never taken away. Other formats are kubectl's, such as jsonpath; -o name
  is the pods. With -A: code, why, items[]: one such document for each namespace.`

const statusExample = `  kubectl confit status
  kubectl confit status configmap/web -n shop
  kubectl confit status deployment/web --watch
  kubectl confit status -l app=web -o json | jq '.pods[] | select(.state != "accepted")'`

const waitHelp = `Waits until every running pod has accepted what the API has now.

What kubectl rollout status is for images, this is for configuration: after an
edit it says whether all pods have it. What counts is what the objects hold when
it begins. If they are edited again meanwhile, it ends with 1: superseded. A
change of labels or annotations is no edit. Several ConfigMaps and Secrets that
were edited together are waited for together. Of a pod or a workload it is all
objects that its pods mount.

It waits for containers with confit that mount the objects, in pods that run.
Pods that come meanwhile count, and those that go don't. A pod that is pending
takes what is there when it starts.

The verdict is of now: before the end everybody is asked once more. A container
that was restarted after it had accepted it counts again when it accepts it anew,
or its app has lived with it for confit's --soak. A pod that is being deleted
doesn't count. With --soak all apps have to live with it so long, and the time is
said: until then confit may take it back.

When a container has rejected just this, it ends with 3 at once, and shows why.
A rejection by the steps stage, render and validate may pass, so the second one
counts. A rejection by the gate is none: the gate is asked again, unless the
record in the Lease says that others have rejected it. A container that ends with
78 twice while it waits has rejected it, too, or once if it isn't started again.

An edit that has come in front of a script which executes nothing waits until
five minutes after confit has seen the script first. The rest of these, five
minutes at most, is added to --timeout, and that is said once. The time of any
other entrypoint isn't.

It ends with 1 when the time is over, with who has not accepted it and why; when
no running pod mounts the objects, or only by subPath, where they never change;
and when it has no right to ask. The kubelet takes a minute or two to bring an
edit, unless kubectl confit sync hurries it.

An API server that is away ends nothing before the time is over. That is said once
after two seconds, and so is that it answers again. No verdict comes of it.

It watches the pods and the objects, and asks each container again after 1, 1.5,
2.2 … 10 s, and who has accepted it after 30 s. kubectl confit status --help says how it asks.`

const waitAfter = `Exit codes
  0    every running pod has accepted it
  1    it came to nothing, and why is on stderr
  3    a container has rejected it
  64   the command line is wrong
  143  TERM ended it; 130: ^C did

stderr has the progress, on a terminal in one line, stdout the outcome; -o is
that of kubectl confit status.`

const waitExample = `  kubectl apply -f web.yaml && kubectl confit wait configmap/web
  kubectl confit wait configmap/web secret/tls --timeout 2m
  kubectl confit wait deployment/web -o json`
