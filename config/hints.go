package config

import (
	"errors"
	"strconv"
	"strings"
)

// errContinued is the error of a line whose rest stands in the next one.
var errContinued = errors.New(`a line can't be continued by \: write all of it in one line, or '\' for the character itself`)

// checkQuoted refuses a \ outside of quotes that was meant for another reader than confit. rest
// stands behind it.
func checkQuoted(rest string) error {
	switch {
	case strings.Trim(rest, " \t\r\n") == "":
		return errContinued
	case rest[0] == 'n':
		return errors.New(`\n ends no line: write a new one; in YAML the text stands after |, or in double quotes`)
	}
	return nil
}

// lookalike names what an editor or a web page has put outside of quotes, and what to write; "": nothing.
func lookalike(bare string) string {
	for _, r := range bare {
		switch {
		case strings.ContainsRune("‘’‚“”„", r):
			return `a typographic quote: write ' or ", or put these around the word`
		case !strconv.IsPrint(r):
			return "what can't be told from a blank or from nothing: write a blank, or put quotes around the word"
		}
	}
	return ""
}
