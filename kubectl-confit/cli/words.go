package cli

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"confit/kubectl-confit/inject"
)

// commands are those of the flag --command, by container.
func commands(flags []string) (map[string]inject.Command, error) {
	found := map[string]inject.Command{}
	for _, f := range flags {
		container, command, ok := strings.Cut(f, "=")
		if !ok || container == "" {
			return nil, usage("--command is %q, not CONTAINER='WORD WORD…'", f)
		}
		if _, twice := found[container]; twice {
			return nil, usage("--command is there twice for container %q", container)
		}
		words, err := split(command)
		if err != nil {
			return nil, usage("--command for container %q: %w", container, err)
		}
		found[container] = inject.Command{Words: words}
	}
	return found, nil
}

// split splits a command as a POSIX shell does, and refuses what a shell would expand.
func split(command string) (words []string, err error) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangPOSIX))
	for word, err := range parser.WordsSeq(strings.NewReader(command)) {
		if err != nil {
			return nil, fmt.Errorf("cannot split %q into words: %w", command, err)
		}
		if !literal(word.Parts) {
			return nil, fmt.Errorf("nothing expands %q: put it into '…' if it is meant so, else write sh -c '…'", command[word.Pos().Offset():word.End().Offset()])
		}
		text, err := expand.Literal(&expand.Config{}, word)
		if err != nil {
			return nil, fmt.Errorf("cannot split %q into words: %w", command, err)
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%q has no words: write what the container runs", command)
	}
	return words, nil
}

// literal tells a word that a shell leaves as it is, but for its quotes.
func literal(parts []syntax.WordPart) bool {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return false
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !inQuotes(p.Parts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func inQuotes(parts []syntax.WordPart) bool {
	for _, part := range parts {
		if _, ok := part.(*syntax.Lit); !ok {
			return false
		}
	}
	return true
}
