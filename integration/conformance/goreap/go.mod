module confit/integration/conformance/goreap

go 1.26.0

require github.com/hashicorp/go-reap v0.0.0-20170704170343-bf58d8a43e7b

require golang.org/x/sys v0.49.0 // indirect
