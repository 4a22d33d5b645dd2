package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"confit/config"
)

// manual is the page confit(1), made of the help. It has the same words: the
// help's groups of flags become subsections, and its paragraphs sections.
func manual(version string, date time.Time) []byte {
	blocks := strings.Split(strings.TrimSpace(config.Usage()), "\n\n")
	about := strings.Join(strings.Fields(blocks[0]), " ")
	what, _, _ := strings.Cut(strings.TrimPrefix(about, "confit "), ":")
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH CONFIT 1 %s \"confit %s\" \"User Commands\"\n", date.Format(time.DateOnly), roff(version))
	fmt.Fprintf(&b, ".SH NAME\nconfit \\- %s\n", roff(what))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(strings.TrimSpace(blocks[1])))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(about))
	b.WriteString(".SH OPTIONS\n")
	for _, block := range blocks[2:] {
		b.WriteString(section(block))
	}
	return b.Bytes()
}

// section is a block of the help: a group of flags or an example, both with a
// heading above what is indented, or a paragraph.
func section(block string) string {
	heading, body, _ := strings.Cut(block, "\n")
	switch {
	case strings.HasPrefix(body, "  --"):
		return ".SS " + roff(heading) + "\n" + flags(body)
	case strings.HasPrefix(body, "  "):
		return ".SH " + roff(strings.ToUpper(heading)) + "\n.nf\n" + roff(body) + "\n.fi\n"
	}
	heading, text, found := strings.Cut(block, ": ")
	if !found || strings.Contains(heading, "\n") || strings.Contains(heading, ".") {
		heading, text = "Notes", block
	}
	return ".SH " + roff(strings.ToUpper(heading)) + "\n" + roff(strings.Join(strings.Fields(text), " ")) + "\n"
}

// entry is a line of a group that begins with a flag: the flag with its value,
// and after two spaces or more what it does.
var entry = regexp.MustCompile(`^ {2}(--\S+(?: \S+)*)(?: {2,}(.*))?$`)

// value is what follows a flag.
var value = regexp.MustCompile(`(\[=| )([A-Z][A-Z:]*)`)

func flags(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		m := entry.FindStringSubmatch(line)
		if m == nil {
			b.WriteString(roff(strings.TrimSpace(line)) + "\n")
			continue
		}
		flag := value.ReplaceAllString(roff(m[1]), `$1\fI$2\fB`)
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n", flag)
		if m[2] != "" {
			b.WriteString(roff(m[2]) + "\n")
		}
	}
	return b.String()
}

// roff escapes text: groff_char(7), groff_man_style(7).
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...").Replace(text)
	return regexp.MustCompile(`(?m)^\.`).ReplaceAllString(text, `\&.`)
}
