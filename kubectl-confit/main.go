// Command kubectl-confit is a plugin of kubectl: kubectl confit VERB. Its verb inject puts confit into pods on paper. See
// kubectl confit --help.
package main

import (
	"os"

	"confit/kubectl-confit/cli"
)

// version is set by make kubectl-confit.
var version = "devel"

func main() {
	os.Exit(cli.Run(version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
