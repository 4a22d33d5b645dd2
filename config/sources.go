package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// commandLine reads the flags. What follows them or -- is the app. It is not ok
// when it could not be read to its end.
func (p *parser) commandLine(args []string) (list []given, ok bool) {
	flags := pflag.NewFlagSet("confit", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetInterspersed(false) // the app's own flags are the app's
	flags.Usage = func() {}
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
	if err := flags.Parse(args[1:]); err != nil {
		command, hint := "", ""
		if n := len(list); n > 0 && list[n-1].setting.command() {
			command = list[n-1].where
		}
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			hint = meantFlag(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), command, names(func(*setting) bool { return true }))
		}
		p.errorf("%s (confit --help lists the flags%s)", err, hint)
		return list, false
	}
	p.config.App = flags.Args()
	p.checkModes(list)
	if flags.ArgsLenAtDash() < 0 {
		p.checkApp(list)
	}
	return list, true
}

// checkModes refuses two things to do at once: only one of them would be done.
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

// checkApp refuses words without -- in front that are hardly the app: a flag without its
// dashes, the value of a switch, and what stands before a -- that comes later.
func (p *parser) checkApp(before []given) {
	app := p.config.App
	if len(app) == 0 {
		return
	}
	first, flag := app[0], ""
	if n := len(before); n > 0 && before[n-1].setting.bare() {
		flag = before[n-1].setting.name
	}
	switch value := meantValue(flag, first); {
	case find(first) != nil:
		p.errorf("%q is a flag: write --%s; or confit -- %s, if it is the app", first, first, first)
	case value != "" && (len(app) > 1 || flag == "status"):
		p.errorf("--%s: %q is a word of its own: write --%s=%s", flag, first, flag, value)
	case lookalike(first) != "":
		p.errorf("%q holds %s", first, lookalike(first))
	case slices.Contains(app, "--"):
		p.errorf("%q stands before --, where only flags and their values do: remove it; or write -- in front of it, if it is the app", first)
	}
}

// environment reads the variables whose names begin with CONFIT_. If one means no
// flag, that is an error, so that no misspelt one is silently ignored.
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

// inPod reports whether the kubelet made the environment: whatever
// enableServiceLinks says, it names the API server (getServiceEnvVarMap of
// pkg/kubelet/kubelet_pods.go in k8s.io/kubernetes).
func inPod(environ []string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, "KUBERNETES_SERVICE_HOST=") })
}

// foreign reports a variable that is none of the user's: Kubernetes sets some in
// every pod of a namespace with a Service named confit or confit-SOMETHING
// (kubernetes.io/docs/concepts/services-networking/service), and confit sets some
// for its hooks, which may run confit.
func foreign(name string) bool {
	return strings.Contains(name, "_SERVICE_") || strings.Contains(name, "_PORT") ||
		slices.Contains(hookVariables, name)
}
