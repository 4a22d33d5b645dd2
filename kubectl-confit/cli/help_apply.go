package cli

const applyHelp = `Brings an edit to the pods, with one verdict: it checks, applies, and waits.

FILE has ConfigMaps and Secrets, each whole, of one namespace. -f, -R and -k are
kubectl's: files, directories, patterns and URLs, any number of them. In this
order:

  1. Nothing is applied that nobody would take or that isn't yours: each object
     has to be mounted by a running pod with confit, and none may be kept by
     Argo CD, Flux or Helm, which would take the edit back. Labels, annotations
     and field managers tell.
  2. The server tries all objects (server-side apply, as a dry run): what it
     refuses, and keys that somebody else owns, are told here, all at once.
  3. Validators in the pods are asked, as kubectl confit check does, about what
     the server would have. --no-check leaves that out.
  4. The objects are applied, each onto the version that was read in step 1. If
     somebody has changed it meanwhile, it isn't.
  5. They are brought to the pods now, one first and then a quarter at a time, as
     kubectl confit sync does, and each has to accept them. --no-sync leaves it
     to the kubelets.

The owner of the fields is kubectl, as with kubectl apply --server-side, whose
rules hold: a key that leaves the file leaves the object if it was applied so
before, also by kubectl apply, whose annotation is kept. A key that somebody
else has changed since then, as by kubectl edit, is a conflict: write its value
into the file, or take it over with --force-conflicts.

With --dry-run=server it ends before step 4, and the server keeps nothing.

With --undo the old objects are put back unless all pods accept the new ones:
after a rejection, when the time is over, and at ^C. They get the values, labels,
annotations and owners that they had; an object that wasn't there is deleted. An
object that somebody else has changed since it was applied stays as it is. Then
all pods get the old ones at once, and are waited for; after ^C they aren't. The
old objects are in this program's memory alone: a kill -9 leaves the new ones.

--timeout is longer for a script that executes nothing, as with kubectl confit wait.
An API server that is away ends no step before --timeout, or half a minute if that
is longer, is over. A write whose answer is lost isn't repeated: the object is read
again first. --undo has the same time, and half a minute after ^C. What it can't put
back stands in the last line, with the command that does.

stderr has the progress, stdout the outcome. With -o json it is one document,
however it ends, unless the command line is wrong.`

const applyAfter = `Exit codes
  0    every running pod has accepted all objects; with --dry-run=server: each
       container would take them
  1    it came to nothing, and why is on stderr; step 1 or 2: nothing is applied
  3    a validator has refused it: nothing is applied; or a pod has rejected it
  64   the command line is wrong
  143  TERM ended it; 130: ^C did; with --undo the old objects are back

-o json
  namespace, code, why, hash; verdict: accepted, tried by --dry-run=server,
  refused before it was applied, rejected by a pod, or failed; checked[]: pod, pods, container, objects,
  verdict, why, printed; applied[]: object, resourceVersion, before, undone,
  back; pods[], without[] as in kubectl confit status; undo: done, why, pods[]. Fields are
  added, never taken away. Other formats are kubectl's; -o name is the objects.`

const applyExample = `  kubectl confit apply -f web.yaml
  kubectl confit apply -f web.yaml --undo --timeout 3m -o json   # in a pipeline
  kubectl create configmap web --from-file=conf --dry-run=client -o yaml |
    kubectl confit apply -f -`
