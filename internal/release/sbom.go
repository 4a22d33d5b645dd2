package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"strings"
	"time"
)

// bill is a CycloneDX bill of materials: https://cyclonedx.org/docs/1.6/json/
type bill struct {
	Schema      string `json:"$schema"`
	Format      string `json:"bomFormat"`
	SpecVersion string `json:"specVersion"`
	Version     int    `json:"version"`
	Metadata    struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	} `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type component struct {
	Ref      string          `json:"bom-ref"`
	Type     string          `json:"type"`
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Hashes   []hash          `json:"hashes,omitempty"`
	Licenses []licenseChoice `json:"licenses"`
	URL      string          `json:"purl"` // https://github.com/package-url/purl-spec
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licenseChoice struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// writeBill writes what is linked into a binary, as the binary itself says.
func (r release) writeBill(p program, on platform, l licenses) error {
	path := r.path(p.binary(on))
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	main := r.own(p.name, "application")
	main.Hashes = []hash{{"SHA-256", sum(data)}}
	libraries, err := r.libraries(info, l)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	must(encoder.Encode(newBill(main, libraries, r.date)))
	return r.write(p.binary(on)+".cdx.json", b.Bytes())
}

// newBill says nothing of who needs whom among the libraries: a binary doesn't.
func newBill(main component, libraries []component, date time.Time) (b bill) {
	b.Schema, b.Format, b.SpecVersion, b.Version = "http://cyclonedx.org/schema/bom-1.6.schema.json", "CycloneDX", "1.6", 1
	b.Metadata.Timestamp, b.Metadata.Component = date.Format(time.RFC3339), main
	b.Components = libraries
	needs := dependency{Ref: main.Ref}
	for _, c := range libraries {
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{needs}
	return b
}

// libraries are the modules, and Go's own library as the module std.
func (r release) libraries(info *debug.BuildInfo, l licenses) ([]component, error) {
	list := []component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "", l)}
	for _, m := range info.Deps {
		if isOwn(m.Path) {
			list = append(list, r.own(path.Base(m.Path), "library"))
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if len(l.ids[m.Path]) == 0 {
			return nil, fmt.Errorf("cannot find the licence of %s, which is linked", m.Path)
		}
		list = append(list, library(m.Path, m.Version, m.Sum, l))
	}
	return list, nil
}

// isOwn reports that a module is of this repository.
func isOwn(module string) bool { return module == "confit" || strings.HasPrefix(module, "confit/") }

// own is a component of this repository, which no registry has.
func (r release) own(name, kind string) component {
	url := "pkg:generic/" + name + "@" + r.version
	return component{Ref: url, Type: kind, Name: name, Version: r.version, URL: url, Licenses: choices("Apache-2.0")}
}

func library(path, version, sum string, l licenses) component {
	url := "pkg:golang/" + path + "@" + version
	c := component{Ref: url, Type: "library", Name: path, Version: version, URL: url, Licenses: choices(l.ids[path]...)}
	// The hash of go.sum, which is one of the module's files and their names.
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:")); err == nil && len(raw) > 0 {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
	}
	return c
}

func choices(ids ...string) (list []licenseChoice) {
	for _, id := range ids {
		var c licenseChoice
		c.License.ID = id
		list = append(list, c)
	}
	return list
}
