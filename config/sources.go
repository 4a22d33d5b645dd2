package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"confit/linker/near"
)

// commandLine reads the flags, and the app that follows them or --. It is not ok if it wasn't read
// to its end.
func (p *parser) commandLine(args []string) (list []given, ok bool) {
	flags := pflag.NewFlagSet("confit", pflag.ContinueOnError)
	flags.SetInterspersed(false) // the app's own flags are the app's
	var known, switches []string
	for _, s := range p.settings {
		known = append(known, "--"+s.name)
		define := flags.FuncP
		if s.bare() {
			define, switches = flags.BoolFuncP, append(switches, "--"+s.name)
		}
		define(s.name, s.letter, "", func(value string) error {
			list = append(list, given{setting: s, value: value, where: "--" + s.name})
			return nil
		})
	}
	if err := flags.Parse(args[1:]); err != nil {
		hint := "; write --FLAG VALUE"
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			name := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())
			hint = "; " + didYouMean("--"+name, known,
				"put quotes around a whole command, and none around a flag and its value")
		}
		p.errorf("%s (confit --help lists the flags%s)", err, hint)
		return list, false
	}
	app := flags.Args()
	p.config.App = app
	before := args[len(args)-len(app)-1]
	switch {
	case len(app) == 0 || flags.ArgsLenAtDash() >= 0:
	case before == "--status", len(app) > 1 && slices.Contains(switches, before) &&
		(app[0] == "true" || app[0] == "false"):
		p.errorf("%s: %q is a word of its own: write %s=%s", before, app[0], before, app[0])
	case slices.Contains(app, "--"):
		p.errorf(
			"%q stands before --, where only flags and their values do: remove it; or write -- in front of it, if it is the app", app[0])
	}
	return list, true
}

// environment reads the variables whose names begin with CONFIT_. One that means no flag is an
// error, as it may be misspelt.
func (p *parser) environment(environ []string) (list []given) {
	var known []string
	for _, s := range p.settings {
		known = append(known, variable(s.name))
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, prefix) && !slices.Contains(known, strings.ToUpper(name)) || foreign(name) {
			continue
		}
		switch i := slices.Index(known, name); {
		case i < 0:
			p.errorf("%s: no flag has this name: %s", name, didYouMean(name, known, "confit --help lists the flags"))
		case p.settings[i].notEnv:
			p.errorf("%s: a variable can't say that: write --%s on the command line", name, p.settings[i].name)
		default:
			list = append(list, given{setting: p.settings[i], value: value, where: name})
		}
	}
	return list
}

// inPod reports whether the kubelet made the environment: it always names the API server
// (getServiceEnvVarMap of pkg/kubelet/kubelet_pods.go in k8s.io/kubernetes).
func inPod(environ []string) bool {
	return slices.ContainsFunc(environ,
		func(kv string) bool { return strings.HasPrefix(kv, "KUBERNETES_SERVICE_HOST=") })
}

// foreign reports a variable that no user has set: Kubernetes sets some in every pod of a namespace
// with a Service named confit or confit-SOMETHING
// (kubernetes.io/docs/concepts/services-networking/service), and confit some for its hooks, which
// may run confit.
func foreign(name string) bool {
	return strings.Contains(name, "_SERVICE_") || strings.Contains(name, "_PORT") ||
		slices.Contains(hookVariables, name)
}

// didYouMean is the hint for a name that is none of the choices: the one that it is most like, if
// any is.
func didYouMean(name string, choices []string, otherwise string) string {
	name, _, _ = strings.Cut(name, "=") // as other files of settings have it
	if i := strings.LastIndexAny(name, "-_"); i > 0 && sourceLines[strings.ToLower(name[i+1:])] != nil {
		return "write a line of the links file"
	}
	if m := near.Of(name, choices); m != "" {
		return "did you mean " + m + "?"
	}
	return otherwise
}
