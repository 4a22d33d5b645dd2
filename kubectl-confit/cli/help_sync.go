package cli

const syncHelp = `Brings an edit to the pods now, and waits for their verdicts.

A kubelet looks at a pod's volumes every 60 to 90 s. It looks at once when the
pod changes, so this verb changes the annotation confit/sync of each pod, to the
time. Nothing else changes: no container restarts, and no controller looks at
it. Then it waits as kubectl confit wait does, and ends as that ends; kubectl
confit wait --help says what it waits for and how it asks.

It goes in waves. One pod is first. When that has accepted the edit, the others
follow, a quarter of them at a time; the next quarter when all of the last one
have accepted it. A container that is restarted stops them until it has accepted
it again. With --soak the first one has to live with it for its confit's --soak
before the others follow. After a rejection nobody else is synced, and the pods that
were spared are named: their kubelets will bring the edit by themselves within
two minutes. Pods that a gate holds are synced at once, as the gate says when
each goes on: pods of a template whose pod has a gate hook, or waits for one. A
gate in a links file is seen when the first pod waits for it. --all syncs all at
once.

A pod that doesn't have the keys after a second is synced again, and after two,
four … 16 s: the kubelet may not have had the new object yet. After 15 s that is
said, with the pod's node.`

const syncAfter = `Exit codes
  0    every running pod has accepted it
  1    it came to nothing, and why is on stderr
  3    a container has rejected it; who was spared is on stderr
  64   the command line is wrong
  143  TERM ended it; 130: ^C did; who was synced stays so

stderr has the progress, stdout the outcome; -o is that of kubectl confit
status.`

const syncExample = `  kubectl apply -f web.yaml && kubectl confit sync configmap/web
  kubectl confit sync configmap/web secret/tls --timeout 2m
  kubectl confit sync deployment/web --all`
