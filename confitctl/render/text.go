package render

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"text/template"
)

// errNothing is what text/template prints as <no value>.
var errNothing = errors.New("there is no value to print")

// strictTexts replaces the functions that make text of anything: what is nothing
// is an error, and a number has no exponent that it didn't have before.
func strictTexts(all map[string]any) {
	for name, f := range map[string]any{
		"print": fmt.Sprint, "println": fmt.Sprintln,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	} {
		all[name] = converting(f, printable)
	}
	for _, name := range []string{"quote", "squote", "cat", "toString", "toStrings", "join", "sortAlpha"} {
		all[name] = converting(all[name], printable)
	}
	all["printf"] = printf
}

// printable is a value whose numbers print without an exponent, which few
// programs read.
func printable(v any) (any, error) {
	if v == nil {
		return nil, errNothing
	}
	return walk(v, func(v any) (any, error) {
		switch v := v.(type) {
		case nil:
			return nil, errNothing
		case float32:
			return plain(float64(v))
		case float64:
			return plain(v)
		}
		return v, nil
	})
}

func plain(f float64) (any, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errors.New("the number is infinite, or none")
	}
	return number(decimal(f)), nil
}

// walk is a value with others in the place of those within its lists and maps.
func walk(v any, replace func(any) (any, error)) (_ any, err error) {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = walk(v[i], replace); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for key := range v {
			if m[key], err = walk(v[key], replace); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return replace(v)
}

// broken is what fmt writes instead of an error.
var broken = regexp.MustCompile(`%![a-zA-Z]?\((EXTRA |MISSING\)|NOVERB\)|BADINDEX\)|BADWIDTH\)|BADPREC\)|PANIC=|<nil>\)|[a-zA-Z*\[][\w.*{}\[\] ]*=)`)

// isBroken reports that a text has that, or what text/template writes.
func isBroken(text string) bool {
	_, rest, maybe := strings.Cut(text, "%!") // a search for that is much faster
	return maybe && broken.MatchString("%!"+rest) || strings.Contains(text, "<no value>")
}

// printed is what an action writes.
func printed(v any) (string, error) {
	v, err := printable(v)
	if err != nil {
		return "", err
	}
	text := fmt.Sprint(v)
	if isBroken(text) {
		return "", errors.New("its text holds <no value>, or %! and an error of a format; neither was meant")
	}
	return text, nil
}

// printf refuses values that its format isn't made for. Of texts only their
// types count, as they may hold what looks like an error.
func printf(format string, args ...any) (string, error) {
	probe := make([]any, len(args))
	for i, arg := range args {
		v, err := printable(arg)
		if err != nil {
			return "", err
		}
		args[i], probe[i] = v, v
		if _, ok := v.(string); ok {
			probe[i] = ""
		}
	}
	if strings.Contains(fmt.Sprintf(strings.ReplaceAll(format, "%%", ""), probe...), "%!") {
		return "", errors.New("the format has other verbs than there are values, or for other types")
	}
	return fmt.Sprintf(format, args...), nil
}
