package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"confit/linker/near"
)

// flagError is the library's error about a flag, with what to write instead.
func flagError(verb *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return fmt.Errorf("%w: %s", err, otherFlag(verb, unknown.GetSpecifiedName()))
	}
	if lacks, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		value, _ := pflag.UnquoteUsage(lacks.GetFlag())
		return fmt.Errorf("--%s has no value: write --%[1]s %s", lacks.GetFlag().Name, value)
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s: %w", wrong.GetFlag().Name, WrongValue(err))
	}
	return err
}

// WrongValue is an error about the value of a flag, without the flag's name, with what to write instead.
func WrongValue(err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	switch kind := wrong.GetFlag().Value.Type(); kind {
	case "bool":
		return fmt.Errorf("%q is neither on nor off: write true or false", wrong.GetValue())
	case "duration":
		return fmt.Errorf("%q is no time: write a number with a unit, such as 500ms, 10s or 2m", wrong.GetValue())
	case "int", "uint64":
		return fmt.Errorf("%q is no number: write one such as %s", wrong.GetValue(), wrong.GetFlag().DefValue)
	}
	return err
}

// otherFlag says which flag of a verb somebody meant, or which verb has it.
func otherFlag(verb *cobra.Command, name string) string {
	var known, others []string
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	each(verb.Root(), func(other *cobra.Command) {
		if other.Flags().Lookup(name) != nil {
			others = append(others, other.CommandPath())
		}
	})
	if len(others) > 3 {
		return "leave it out here, other verbs have it"
	}
	if len(others) > 0 {
		return fmt.Sprintf("write it behind %s, or leave it out", strings.Join(others, " or "))
	}
	if meant := near.Of(name, known); meant != "" {
		return "did you mean --" + meant + "?"
	}
	return "write one of those that the help lists"
}

// each calls do with a verb and with all below it.
func each(verb *cobra.Command, do func(*cobra.Command)) {
	do(verb)
	for _, below := range verb.Commands() {
		each(below, do)
	}
}

// DidYouMean says which of some names somebody meant, or lists them.
func DidYouMean(name string, names []string) string {
	if meant := near.Of(name, names); meant != "" {
		return "did you mean " + meant + "?"
	}
	slices.Sort(names)
	return "write one of " + strings.Join(names, ", ")
}

// NoArguments refuses a verb that isn't there.
func NoArguments(verb *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range verb.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	if len(names) == 0 {
		return FlagsAlone(verb, args)
	}
	return fmt.Errorf("%q is no verb: %s", args[0], DidYouMean(args[0], names))
}

// FlagsAlone refuses a word behind a verb that takes none.
func FlagsAlone(verb *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is one word too many: %s takes flags alone, remove it", args[0], verb.CommandPath())
	}
	return nil
}
