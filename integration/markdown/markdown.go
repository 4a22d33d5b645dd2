// Package markdown knows the pages of this project, so that tests can hold what
// they say: it finds the pages, and reads their fenced blocks, tables and lists.
//
// It reads what the pages use of Markdown, and no more. No program is linked with
// it.
package markdown

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Pages lists the pages below the project's directory.
func Pages(root string) ([]string, error) {
	var list []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/internals/*.md", "examples/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no page is a %s: %v", pattern, err)
		}
		list = append(list, files...)
	}
	return list, nil
}

// Block is a fenced block.
type Block struct {
	Language string // what follows the fence; "": nothing
	Text     string // without the fences
	Line     int    // of its first fence
}

// Blocks lists the fenced blocks of a page.
func Blocks(page string) []Block {
	blocks, _ := split(page)
	return blocks
}

// Prose is a page without its fenced blocks.
func Prose(page string) string {
	_, prose := split(page)
	return prose
}

func split(page string) (blocks []Block, prose string) {
	open, number := false, 0
	for line := range strings.Lines(page) {
		number++
		language, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fence && !open:
			blocks = append(blocks, Block{Language: language, Line: number})
			open = true
		case fence:
			open = false
		case open:
			blocks[len(blocks)-1].Text += line
		default:
			prose += line
		}
	}
	return blocks, prose
}

// Section is what stands below a heading, up to the next one of any level. It is
// empty when there is no such heading.
func Section(page, heading string) string {
	_, text, found := strings.Cut("\n"+page, "\n"+heading+"\n")
	if !found {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

// Rows lists the rows of the tables of a text, without their heads. A cell that
// holds a bar has a backslash before it.
func Rows(text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
		case strings.HasPrefix(line, "|---"):
			rows = rows[:len(rows)-1] // it was the head
		default:
			rows = append(rows, cells(line))
		}
	}
	return rows
}

func cells(row string) []string {
	const bar = "\x00"
	list := strings.Split(strings.Trim(strings.ReplaceAll(row, `\|`, bar), "|"), "|")
	for i := range list {
		list[i] = strings.TrimSpace(strings.ReplaceAll(list[i], bar, "|"))
	}
	return list
}

// named is an item of a list: its name ends at the first colon outside of a code span.
var named = regexp.MustCompile("^((?:`[^`]*`|[^`])*?): (.*)$")

// Items lists the items of a text's lists that have a name, each as the name and what
// is said of it, on one line.
func Items(text string) [][]string {
	var items [][]string
	for _, item := range strings.Split("\n"+text, "\n- ")[1:] {
		item, _, _ = strings.Cut(item, "\n\n")
		if match := named.FindStringSubmatch(strings.Join(strings.Fields(item), " ")); match != nil {
			items = append(items, match[1:])
		}
	}
	return items
}

var span = regexp.MustCompile("``(.+?)``|`([^`\n]+)`")

// Spans lists the code spans of a text.
func Spans(text string) []string {
	var list []string
	for _, match := range span.FindAllStringSubmatch(text, -1) {
		list = append(list, match[1]+match[2])
	}
	return list
}
