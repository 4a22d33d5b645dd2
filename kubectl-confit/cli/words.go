package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"confit/confitctl/program"
	"confit/kubectl-confit/inject"
)

// commands are those of the flag --command, by container, or by kind, name and container.
func commands(flags []string) (map[string]inject.Command, error) {
	found := map[string]inject.Command{}
	for _, f := range flags {
		container, command, ok := strings.Cut(f, "=")
		parts := strings.Split(container, "/")
		if !ok || slices.Contains(parts, "") || len(parts) != 1 && len(parts) != 3 {
			return nil, program.Wrong("--command is %q: write CONTAINER='WORD WORD…' or KIND/NAME/CONTAINER='WORD WORD…'", f)
		}
		if len(parts) == 3 {
			container = address(parts[0], parts[1], parts[2])
		}
		if _, twice := found[container]; twice {
			return nil, program.Wrong("--command is there twice for container %q", container)
		}
		words, err := split(command)
		if err != nil {
			return nil, program.Wrong("--command for container %q: %w", container, err)
		}
		found[container] = inject.Command{Words: words}
	}
	return found, nil
}

// address names a container of one object.
func address(kind, name, container string) string {
	return strings.ToLower(kind) + "/" + name + "/" + container
}

// split splits a command as a POSIX shell does, and refuses what a shell would expand.
func split(command string) (words []string, err error) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangPOSIX))
	for word, err := range parser.WordsSeq(strings.NewReader(command)) {
		if err != nil {
			return nil, fmt.Errorf("cannot split %q into words: %w; put it into '…' if it is meant so, else write sh -c '…'", command, err)
		}
		text, ok := literal(word.Parts, outside)
		if !ok {
			return nil, fmt.Errorf("nothing expands %q: put it into '…' if it is meant so, else write sh -c '…'", command[word.Pos().Offset():word.End().Offset()])
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%q has no words: write what the container runs", command)
	}
	return words, nil
}

// What a backslash is taken away before, outside of quotes and in double ones. A line that ends in one goes on in the next.
var (
	outside  = regexp.MustCompile(`(?s)\\(.)`)
	inQuotes = regexp.MustCompile("\\\\([$`\"\\\\\n])")
)

// literal is the text of a word without its quotes. It says no if a shell would put something in its place.
func literal(parts []syntax.WordPart, quoting *regexp.Regexp) (text string, ok bool) {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && quoting == outside && strings.HasPrefix(p.Value, "~") {
				return "", false
			}
			text += quoting.ReplaceAllStringFunc(p.Value, func(quoted string) string { return strings.TrimPrefix(quoted[1:], "\n") })
		case *syntax.SglQuoted:
			text += p.Value
		case *syntax.DblQuoted:
			within, ok := literal(p.Parts, inQuotes)
			if !ok {
				return "", false
			}
			text += within
		default:
			return "", false
		}
	}
	return text, true
}
