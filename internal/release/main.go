// Command release makes what is handed out of confit: static binaries of all
// programs for each platform, with their licences, bills of materials, the
// manual page, archives, images, the manifest for krew and checksums. make dist
// and make image call it.
//
// It guarantees that the same commit, Go version and VERSION give the same
// bytes wherever it runs: dates are those of SOURCE_DATE_EPOCH, and -again
// builds once more, elsewhere and from nothing, and compares.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release is what is made, and of what.
type release struct {
	goTool, version, revision string
	out                       string // an absolute directory
	date                      time.Time
	only                      []string // platforms; none means all
	url                       string   // of the directory that will have the archives
}

func main() {
	r := release{goTool: "go", date: sourceDate()}
	if tool := os.Getenv("GO"); tool != "" {
		r.goTool = tool
	}
	out := flag.String("out", "dist", "the `directory` for what is made")
	only := flag.String("platforms", "", "make these `platforms` only: linux-amd64,darwin-arm64")
	flag.StringVar(&r.version, "version", "devel", "what the programs say that they are")
	flag.StringVar(&r.url, "url", "https://example.com/confit", "the `URL` below which a directory of the version will have the archives")
	flag.StringVar(&r.revision, "revision", "", "the commit that they are made of")
	images := flag.Bool("images", false, "make images of the binaries that are there, and nothing else")
	again := flag.Bool("again", false, "check what is there, and compare it with what a second run makes")
	flag.Parse()
	r.only = strings.FieldsFunc(*only, func(c rune) bool { return c == ',' })
	err := r.checkOnly()
	if err == nil {
		r.out, err = filepath.Abs(*out)
	}
	if err == nil {
		err = r.run(*images, *again)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r release) run(images, again bool) error {
	switch {
	case images:
		return r.images()
	case again:
		return r.again()
	}
	return r.all()
}

// all makes everything but the images.
func (r release) all() error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.write("confit.1", manual(r.version, r.date)); err != nil {
		return err
	}
	for _, p := range programs {
		if err := r.program(p); err != nil {
			return fmt.Errorf("cannot release %s: %w", p.name, err)
		}
	}
	if err := r.writeKrew(); err != nil {
		return err
	}
	return r.writeSums()
}

// program makes all that there is of one program.
func (r release) program(p program) error {
	licenses, err := r.licenses(p)
	if err != nil {
		return err
	}
	if err := r.write(p.name+"-licenses.txt", licenses.text(p, r.version)); err != nil {
		return err
	}
	for _, on := range r.asked(p) {
		fmt.Println("making", p.binary(on))
		if err := r.build(p, on); err != nil {
			return err
		}
		if err := r.writeBill(p, on, licenses); err != nil {
			return err
		}
		if err := r.archive(p, on); err != nil {
			return err
		}
	}
	return nil
}

func (r release) path(name string) string { return filepath.Join(r.out, name) }

func (r release) write(name string, data []byte) error {
	return os.WriteFile(r.path(name), data, 0o644)
}

// sourceDate is the date of everything: https://reproducible-builds.org/specs/source-date-epoch/
func sourceDate() time.Time {
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	return time.Unix(seconds, 0).UTC()
}
