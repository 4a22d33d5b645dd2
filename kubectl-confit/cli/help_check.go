package cli

const checkHelp = `Asks the validators of running pods about an edit before anybody applies it.

FILE has ConfigMaps and Secrets as they would be, each whole. -f, -R and -k are
kubectl's: files, directories, patterns and URLs, any number of them. Of all
pods in the namespace that follow one of them, one of each template is asked;
with KIND/NAME those that use that object of FILE, or those of these workloads
or pods. confit does there what a start would do with the new keys, without the
app: it stages, renders and validates (confit --try). All other volumes are as
the cluster has them. Of confit's flags those of the pod count, of the
environment and of links files; a flag in the image's ENTRYPOINT nobody can
know.

That happens in a copy of the pod, which is deleted afterwards, at ^C, too. The
copy has the container's image, environment, resources and security context, its
ConfigMaps and Secrets, and the init containers that bring confit. It has no
labels but confit/check=true, no owner, ports, probes, hooks and other
containers, no service account and no token. Claims and volumes of drivers are
empty directories there, and what is the node's is left out. No copy can have a
volume below /confit that isn't made of ConfigMaps and Secrets: --in-place can.
NetworkPolicies that select pods by their labels don't hold the copy, unless one
selects confit/check=true. If the plugin is killed, the copy ends by itself
after --timeout, and stays until somebody deletes it:
kubectl delete pod -l confit/check

With --in-place it happens beside the app, in a pod that runs. It takes the
memory of that container: confit refuses if there isn't enough. Where PID 1's
state directory isn't in memory, it uses /dev/shm.

The new bytes go by stdin: they stand in no argument and in no object. What the
validator prints is shown, the last 200 lines. Values of Secrets are hidden
there where they stand as they are, if they have 8 bytes or more, or as one of
their lines; what a program has made of a value can't be known.

Beside that, stderr names each container whose pod's grace period is over before
confit gives TERM to a script at the entrypoint, which a stop waits for.`

const checkAfter = `Exit codes
  0    each container would take it
  1    one could not be asked, or nothing follows what FILE has
  3    one would refuse it, and why is on stdout
  64   the command line is wrong
  143  TERM ended it; 130: ^C did; the copy is gone

-o json
  namespace, code, why; checked[] as in kubectl confit apply. Fields are added,
  never taken away. Other formats are kubectl's; -o name is the pods that were
  asked.`

const checkExample = `  kubectl confit check -f web.yaml                   # all pods that follow it
  kubectl confit check -f web.yaml deployment/web    # those of one workload
  kubectl create configmap web --from-file=conf --dry-run=client -o yaml |
    kubectl confit check -f - --in-place`
