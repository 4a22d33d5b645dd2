package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// commandLine reads the flags, and the app that follows them or --. It is not ok if it
// wasn't read to its end.
func (p *parser) commandLine(args []string) (list []given, ok bool) {
	flags := pflag.NewFlagSet("confit", pflag.ContinueOnError)
	flags.SetInterspersed(false) // the app's own flags are the app's
	for _, s := range settings {
		define := flags.FuncP
		if s.bare() {
			define = flags.BoolFuncP
		}
		define(s.name, s.short, "", func(value string) error {
			list = append(list, given{setting: s, value: value, where: "--" + s.name})
			return nil
		})
	}
	err := flags.Parse(args[1:])
	command, bare := "", "" // the last flag, if it is of that kind
	if n := len(list); n > 0 && list[n-1].setting.command() {
		command = list[n-1].where
	} else if n > 0 && list[n-1].setting.bare() {
		bare = list[n-1].setting.name
	}
	all := names(func(*setting) bool { return true })
	if err != nil {
		hint := ""
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			hint = meantFlag(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), command, all)
		}
		p.errorf("%s (confit --help lists the flags%s)", err, hint)
		return list, false
	}
	p.config.App = flags.Args()
	p.checkModes(list)
	if len(p.config.App) > 0 && flags.ArgsLenAtDash() < 0 {
		p.wrong = append(p.wrong, checkApp(p.config.App, bare, all))
	}
	return list, true
}

// checkModes refuses two modes at once.
func (p *parser) checkModes(line []given) {
	var c Config
	var first string
	for _, g := range line {
		c.Mode = Run
		if err := g.setting.of(&c).read(g.value); err != nil || c.Mode == Run || c.Mode >= Version || first == g.where {
			continue
		}
		if first != "" {
			p.errorf("%s and %s: only one can be done, write one of the two", first, g.where)
			return
		}
		first = g.where
	}
}

// environment reads the variables whose names begin with CONFIT_. One that means no flag
// is an error, as it may be misspelt.
func (p *parser) environment(environ []string) []given {
	var list []given
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, prefix) || foreign(name) {
			continue
		}
		flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", "-"))
		switch s := find(flag); {
		case s == nil || variable(flag) != name:
			p.errorf("%s: no flag has this name: %s", name, meantVariable(flag, names(func(s *setting) bool { return !s.notEnv })))
		case s.notEnv:
			p.errorf("%s: a variable can't say that: write --%s on the command line", name, flag)
		default:
			list = append(list, given{setting: s, value: value, where: name})
		}
	}
	return list
}

// inPod reports whether the kubelet made the environment: it always names the API server
// (getServiceEnvVarMap of pkg/kubelet/kubelet_pods.go in k8s.io/kubernetes).
func inPod(environ []string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, "KUBERNETES_SERVICE_HOST=") })
}

// foreign reports a variable that no user has set: Kubernetes sets some in every pod of
// a namespace with a Service named confit or confit-SOMETHING
// (kubernetes.io/docs/concepts/services-networking/service), and confit some for its
// hooks, which may run confit.
func foreign(name string) bool {
	return strings.Contains(name, "_SERVICE_") || strings.Contains(name, "_PORT") ||
		slices.Contains(hookVariables, name)
}
