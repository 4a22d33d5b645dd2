package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"confit/integration/markdown"
)

// pagePath is the page whose manifests, commands, Dockerfiles and links files are used here as they stand.
const pagePath = "docs/kubernetes.md"

// movePath is the page that leads to the Deployment of pagePath; integration/examples runs its other sections.
const movePath = "docs/migrate.md"

// The sections that images are built of. The first one is on movePath.
const (
	moveSection   = "One Deployment, before and after"
	scriptSection = "Images with an entrypoint script"
	lockedSection = "Locked-down pods"
)

// besides are sections whose code integration/examples runs.
var besides = []string{"Helm", "The app gives up root", "An image without a shell", "Workloads other than a Deployment"}

// section is what stands between two headings of a page, as far as it is code. The language of a links file is "links".
type section struct {
	heading string
	blocks  []markdown.Block
}

type page []*section

func readPage(file string) (page, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var p page
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		heading, rest, _ := strings.Cut(part, "\n")
		s := &section{heading: heading}
		for _, b := range markdown.Blocks(rest) {
			if strings.HasPrefix(b.Text, "# links\n") {
				b.Language = "links"
			}
			s.blocks = append(s.blocks, b)
		}
		p = append(p, s)
	}
	return p, nil
}

// readPages reads the page, and in front of it the section that leads there.
func readPages(source string) (page, error) {
	move, err1 := readPage(filepath.Join(source, movePath))
	all, err2 := readPage(filepath.Join(source, pagePath))
	return append(page{move.section(moveSection)}, all...), errors.Join(err1, err2)
}

// section is an empty one if there is none with that heading.
func (p page) section(heading string) *section {
	for _, s := range p {
		if s.heading == heading {
			return s
		}
	}
	return &section{heading: heading}
}

// first is the first block in a language.
func (s *section) first(language string) string {
	for _, b := range s.blocks {
		if b.Language == language {
			return b.Text
		}
	}
	return ""
}

// last is the last one.
func (s *section) last(language string) (text string) {
	for _, b := range s.blocks {
		if b.Language == language {
			text = b.Text
		}
	}
	return text
}

// next takes the next block, which must be in that language.
func (s *section) next(language string) (string, error) {
	if len(s.blocks) == 0 || s.blocks[0].Language != language {
		return "", fmt.Errorf("section %q: the next block isn't %s: %.500v", s.heading, language, s.blocks)
	}
	b := s.blocks[0]
	s.blocks = s.blocks[1:]
	return b.Text, nil
}

// done holds that every block was used.
func (s *section) done() error {
	if len(s.blocks) > 0 {
		return fmt.Errorf("section %q: nothing is shown of this %s block:\n%s", s.heading, s.blocks[0].Language, s.blocks[0].Text)
	}
	return nil
}
