// Package slips makes the mistakes of a command line that has verbs, out of its own tables: of each verb and each flag one of spelling, of
// kind, of place and of value. The tests of confitctl and of the plugin of kubectl use it.
//
// It guarantees that no flag is left out: one of whose values nobody can be wrong has a reason.
package slips

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"confit/integration/answers"
)

// Wrong is a value that a flag can't have.
type Wrong struct {
	Kind  answers.Kind
	Value string
	Right string   // what the answer has to hold of a right one
	At    string   // what the answer calls the place; "": the flag
	Args  []string // beside the flag
	Codes []int
}

// Program is what is called wrongly.
type Program struct {
	Root     *cobra.Command
	Run      func(environ, args []string) (code int, said string)
	Variable func(flag string) string // that stands for a flag; nil: none does
	Words    map[string][]string      // the words, without flags, that a verb needs, by its path
	Wrong    map[string][]Wrong       // by flag, as "--flag", or by verb and flag, as "gate --flag"; a value of its own kind
	Free     map[string]string        // why no value of a flag is wrong, or which part of the program answers
	Extra    map[string][]Wrong       // by verb: whole command lines, in Args
}

// Mistakes makes all of them.
func (p Program) Mistakes(t testing.TB) []answers.Mistake {
	t.Helper()
	m := &maker{Program: p, t: t, used: map[string]bool{}, seen: map[string]bool{}}
	m.verbs(p.Root)
	for name := range p.Wrong {
		if !m.used[name] {
			t.Errorf("%s is wrong of no flag", name)
		}
	}
	for name := range p.Free {
		if !m.used[name] {
			t.Errorf("%s is free in no flag", name)
		}
	}
	return m.list
}

type maker struct {
	Program
	t    testing.TB
	list []answers.Mistake
	used map[string]bool // rows of the tables
	seen map[string]bool // flags that several verbs have, with the answer
}

// verbs makes the mistakes of a verb, of its flags and of all verbs below it.
func (m *maker) verbs(verb *cobra.Command) {
	path := strings.Fields(verb.CommandPath())[len(strings.Fields(m.Root.CommandPath())):]
	about := strings.Join(path, " ")
	if verb.HasSubCommands() {
		for _, below := range verb.Commands() {
			if below.IsAvailableCommand() {
				slipped := append(slices.Clone(path), Slip(below.Name()))
				m.make(nil, slipped, answers.Mistake{About: below.Name(), Kind: answers.Spelling, At: Slip(below.Name()), Right: "did you mean " + below.Name()})
				m.verbs(below)
			}
		}
		m.make(nil, append(slices.Clone(path), "zzzz"), answers.Mistake{About: strings.Join(append(path, "…"), " "), Kind: answers.Spelling, At: "zzzz", Right: "write one of"})
	}
	for _, w := range m.Extra[about] {
		m.make(nil, append(slices.Clone(path), w.Args...), answers.Mistake{About: about, Kind: w.Kind, At: w.At, Right: w.Right, Codes: w.Codes})
	}
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && f.Name != "version" {
			m.flag(path, f)
		}
	})
	m.stranger(path, verb)
}

// flag makes those of one flag of a verb.
func (m *maker) flag(path []string, f *pflag.Flag) {
	verb := strings.Join(path, " ")
	about := answers.Mistake{About: strings.TrimSpace(verb + " --" + f.Name), Kind: answers.Spelling, At: "--" + Slip(f.Name), Right: "did you mean --" + f.Name}
	m.make(nil, append(slices.Clone(path), "--"+Slip(f.Name), "x"), about)
	if m.Variable != nil {
		about.At, about.Right = m.Variable(Slip(f.Name)), "did you mean "+m.Variable(f.Name)
		m.make([]string{about.At + "=x"}, slices.Concat(path, m.Words[verb]), about)
	}
	about.At = "--" + f.Name
	if f.NoOptDefVal == "" {
		about.Kind, about.Right = answers.Place, "write --"+f.Name
		m.make(nil, append(slices.Clone(path), "--"+f.Name), about)
	}
	ofType := byType[f.Value.Type()]
	for i, w := range slices.Concat(ofType, m.known(verb, f)) {
		about.Kind, about.Right, about.Codes, about.At = w.Kind, w.Right, w.Codes, "--"+f.Name
		if w.At != "" {
			about.At = w.At
		}
		words := slices.Concat(path, m.Words[verb], w.Args)
		m.make(nil, append(words, "--"+f.Name+"="+w.Value), about)
		if m.Variable != nil {
			if i < len(ofType) {
				about.At = m.Variable(f.Name)
			}
			m.make([]string{m.Variable(f.Name) + "=" + w.Value}, words, about)
			m.list[len(m.list)-1].Again = true
		}
	}
}

// known are the wrong values of a flag by the tables.
func (m *maker) known(verb string, f *pflag.Flag) (list []Wrong) {
	found := byType[f.Value.Type()] != nil
	for _, name := range []string{strings.TrimSpace(verb + " --" + f.Name), "--" + f.Name} {
		wrong, isWrong := m.Wrong[name]
		_, isFree := m.Free[name]
		m.used[name] = m.used[name] || isWrong || isFree
		if found = found || isWrong || isFree; isWrong || isFree {
			list = wrong
			break
		}
	}
	if !found {
		m.t.Errorf("no wrong value is known of %s --%s, nor why there is none", verb, f.Name)
	}
	return list
}

// stranger gives a verb a flag that another one has, and this one hasn't.
func (m *maker) stranger(path []string, verb *cobra.Command) {
	var name string
	for _, other := range m.Root.Commands() {
		other.Flags().VisitAll(func(f *pflag.Flag) {
			if name == "" && !f.Hidden && verb.Flags().Lookup(f.Name) == nil && len(f.Name) > 5 && f.Name != "version" {
				name = f.Name
			}
		})
	}
	if name != "" {
		m.make(nil, append(slices.Clone(path), "--"+name, "x"), answers.Mistake{
			About: strings.TrimSpace(strings.Join(path, " ") + " …"), Kind: answers.Place, At: "--" + name, Right: "leave it out",
		})
	}
}

// byType are values of another kind than a flag has.
var byType = map[string][]Wrong{
	"bool":     {{Kind: answers.Type, Value: "perhaps", Right: "true or false"}},
	"duration": {{Kind: answers.Type, Value: "soon", Right: "10s"}, {Kind: answers.Type, Value: "10", Right: "10s"}},
	"int":      {{Kind: answers.Type, Value: "many", Right: "write one such as"}},
	"uint64":   {{Kind: answers.Type, Value: "much", Right: "write one such as"}, {Kind: answers.Value, Value: "-1", Right: "write one such as"}},
}

// make runs the program, and notes the answer. A flag that several verbs have is on the page once.
func (m *maker) make(environ, args []string, what answers.Mistake) {
	code, said := m.Run(environ, append([]string{}, args...)) // without any the library takes those of the test
	what.Code, what.Answer = code, said
	m.asMeant(args, what)
	what.Made = strings.TrimSpace(fmt.Sprintf("%s %s", strings.Join(environ, " "), quoted(args)))
	_, flag, _ := strings.Cut(what.About, "--")
	answer, _, _ := strings.Cut(said, "; see ")
	key := flag + answer
	what.Again = flag != "" && m.seen[key]
	m.seen[key] = true
	m.list = append(m.list, what)
}

// didYouMean is a hint, and the word that it names.
var didYouMean = regexp.MustCompile(`did you mean (\S+)\?`)

// asMeant does what a hint of the command line says, and holds that it is gone. The help keeps the verb from beginning.
func (m *maker) asMeant(args []string, what answers.Mistake) {
	hint := didYouMean.FindStringSubmatch(what.Answer)
	i := slices.Index(args, what.At)
	if hint == nil || i < 0 {
		return
	}
	right := append(slices.Clone(args), "--help")
	right[i] = hint[1]
	if _, said := m.Run(nil, right); didYouMean.MatchString(said) {
		m.t.Errorf("%s: it says so still: %s", quoted(right), said)
	}
}

// quoted are the words as somebody types them.
func quoted(args []string) string {
	var list []string
	for _, a := range args {
		if strings.ContainsAny(a, " '\n") || a == "" {
			a = fmt.Sprintf("%q", a)
		}
		list = append(list, a)
	}
	return strings.Join(list, " ")
}

// Slip exchanges the last two letters of a name that differ.
func Slip(name string) string {
	letters := []byte(name)
	for i := len(letters) - 1; i > 0; i-- {
		if letters[i] != letters[i-1] {
			letters[i], letters[i-1] = letters[i-1], letters[i]
			return string(letters)
		}
	}
	return name + "x"
}
