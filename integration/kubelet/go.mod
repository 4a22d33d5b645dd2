module confit/integration/kubelet

go 1.26.0

require (
	github.com/spf13/pflag v1.0.9
	k8s.io/apimachinery v0.36.3
	k8s.io/klog/v2 v2.140.0
)

require github.com/go-logr/logr v1.4.3 // indirect
