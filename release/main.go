// Command release makes what is handed out of confit: static binaries of both
// programs for each platform, with their licences, bills of materials, the
// manual page, archives, images and checksums. make dist and make image call it.
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
	arches                    []string // of GOARCH
}

func main() {
	r := release{goTool: "go", date: sourceDate()}
	if tool := os.Getenv("GO"); tool != "" {
		r.goTool = tool
	}
	out := flag.String("out", "dist", "the `directory` for what is made")
	arches := flag.String("arches", strings.Join(platforms, ","), "make these `platforms` only")
	flag.StringVar(&r.version, "version", "devel", "what the programs say that they are")
	flag.StringVar(&r.revision, "revision", "", "the commit that they are made of")
	images := flag.Bool("images", false, "make images of the binaries that are there, and nothing else")
	again := flag.Bool("again", false, "check what is there, and compare it with what a second run makes")
	flag.Parse()
	r.arches = strings.Split(*arches, ",")
	var err error
	if r.out, err = filepath.Abs(*out); err == nil {
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
	for _, arch := range r.arches {
		fmt.Println("making", p.binary(arch))
		if err := r.build(p, arch); err != nil {
			return err
		}
		if err := r.writeBill(p, arch, licenses); err != nil {
			return err
		}
		if err := r.archive(p, arch); err != nil {
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
