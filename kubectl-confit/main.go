// Command kubectl-confit is a plugin of kubectl: kubectl confit VERB. See kubectl confit --help. Under the name
// kubectl_complete-confit it completes the plugin's words for kubectl.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"confit/kubectl-confit/cli"
)

// version is set by make kubectl-confit.
var version = "devel"

func main() {
	args := os.Args[1:]
	if strings.HasPrefix(filepath.Base(os.Args[0]), cli.CompletionPrefix) {
		args = cli.Completion(args)
	}
	os.Exit(cli.Run(version, args, os.Stdin, os.Stdout, os.Stderr))
}
