package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// commandLine reads the flags; what follows them, or --, is the app.
// It reports whether it could be read to its end.
func (p *parser) commandLine(args []string) (list []given, ok bool) {
	flags := pflag.NewFlagSet("confit", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetInterspersed(false) // the app's own flags are the app's
	flags.Usage = func() {}
	for i := range settings {
		s := &settings[i]
		f := flags.VarPF(&flagValue{s, &list}, s.name, s.short, "")
		if s.bare {
			f.NoOptDefVal = "true"
		}
	}
	if err := flags.Parse(args[1:]); err != nil {
		p.errorf("%s (confit --help lists the flags%s)", err, suggestion(err.Error()))
		return list, false
	}
	p.config.App = flags.Args()
	return list, true
}

// suggestion finds the flag that was meant in pflag's "unknown flag: --name".
func suggestion(message string) string {
	_, name, ok := strings.Cut(message, "unknown flag: --")
	if near := nearest(name, names(func(*setting) bool { return true })); ok && near != "" {
		return "; did you mean --" + near + "?"
	}
	return ""
}

// flagValue gives a flag's values to the list instead of a variable.
type flagValue struct {
	setting *setting
	list    *[]given
}

func (f *flagValue) Set(value string) error {
	*f.list = append(*f.list, given{setting: f.setting, value: value, where: "--" + f.setting.name})
	return nil
}

func (f *flagValue) String() string { return "" }

// Type tells pflag what to call the value; the help is written by hand.
func (f *flagValue) Type() string { return "value" }

// prefix begins the names of confit's environment variables.
const prefix = "CONFIT_"

// environment reads the variables whose name begins with CONFIT_. One that
// means no flag is an error, so that a misspelt one isn't silently ignored.
func (p *parser) environment(environ []string) []given {
	var list []given
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, prefix) || foreign(name) {
			continue
		}
		s := find(strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", "-")))
		if s == nil || s.notEnv || variable(s.name) != name {
			p.errorf("%s: no flag has this name: %s", name, didYouMean(name, variables()))
			continue
		}
		list = append(list, given{setting: s, value: value, where: name})
	}
	return list
}

// foreign reports a variable that others may set: Kubernetes in every pod of a
// namespace that has a Service named confit or confit-SOMETHING
// (kubernetes.io/docs/concepts/services-networking/service), and confit itself
// for a hook that runs confit.
func foreign(name string) bool {
	return strings.Contains(name, "_SERVICE_") || strings.Contains(name, "_PORT") ||
		slices.Contains([]string{"CONFIT_CANDIDATE", "CONFIT_GENERATION", "CONFIT_CHANGED"}, name)
}

func variable(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func variables() []string {
	list := names(func(s *setting) bool { return !s.notEnv })
	for i := range list {
		list[i] = variable(list[i])
	}
	return list
}
