package render

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"text/template"
	"text/template/parse"
)

// maxDepth is how deep include and tpl may call each other.
const maxDepth = 1000

// engine is what the functions that render templates share.
type engine struct {
	ctx   context.Context
	done  map[*parse.Tree]bool // what was instrumented
	depth int                  // of include and tpl
	made  int                  // texts that were templates
	full  bool                 // a template has made too much
}

// nested are the functions by which templates of a set call others. They are
// Helm's: https://helm.sh/docs/howto/charts_tips_and_tricks.
func (e *engine) nested(set *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, dot any) (string, error) { return e.include(set, name, dot) },
		"tpl":     func(text string, dot any) (string, error) { return e.tpl(set, text, dot) },
	}
}

// include is {{template}} as a function: what the template makes can go through
// a pipeline.
func (e *engine) include(set *template.Template, name string, dot any) (string, error) {
	if set.Lookup(name) == nil {
		return "", fmt.Errorf("there is no template %q", name)
	}
	if e.depth == maxDepth {
		return "", fmt.Errorf("include and tpl call each other more than %d deep", maxDepth)
	}
	e.depth++
	defer func() { e.depth-- }()
	data, err := e.execute(set, name, dot)
	if err != nil {
		return "", brief(err) // at each level: else a thousand of them would be copied a thousand times
	}
	return string(data), nil
}

// execute is what a template makes.
func (e *engine) execute(set *template.Template, name string, dot any) ([]byte, error) {
	o := output{e: e}
	err := set.ExecuteTemplate(&o, name, dot)
	if err == nil {
		err = e.check()
	}
	return o.Bytes(), err
}

// tpl renders a text. It sees all templates of the set; those that it defines
// are its own.
func (e *engine) tpl(set *template.Template, text string, dot any) (string, error) {
	own, err := set.Clone()
	if err != nil {
		return "", err
	}
	e.made++
	name := fmt.Sprintf("text %d of tpl", e.made) // which nobody else has
	// Clone forgets options: https://go.dev/issue/43022.
	own.Option(missingKey).Funcs(e.nested(own))
	if _, err := own.New(name).Parse(text); err != nil {
		return "", ofText(err)
	}
	if err := e.instrument(own); err != nil {
		return "", err
	}
	made, err := e.include(own, name, dot)
	return made, ofText(err)
}

// shown is what an error quotes of a template.
var shown = regexp.MustCompile("(?s) executing \".*\" at <.*?>|[`'\"].*[`'\"]|<[^>]*>|U\\+.*")

// ofText leaves out what an error quotes of the text: that may be a secret.
func ofText(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(shown.ReplaceAllLiteralString(added.ReplaceAllLiteralString(err.Error(), ""), "…"))
}

// required is a value that must be there, as in Helm: neither nil nor the empty
// text.
func required(message string, v any) (any, error) {
	if v == nil || v == "" {
		return nil, errors.New(message)
	}
	return v, nil
}
