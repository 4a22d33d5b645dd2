// Command confitctl is what goes with confit beside PID 1: its hooks gate and
// report roll a change out over all replicas, render and post stand in other
// hooks, and export shows Prometheus what confit does. See confitctl --help.
package main

import (
	"os"

	"confit/confitctl/cli"
)

// version is set by make confitctl.
var version = "devel"

func main() {
	os.Exit(cli.Run(version, os.Args[1:], os.Stdout, os.Stderr))
}
