package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
)

// imagePlatforms are those of the images.
var imagePlatforms = each([]string{"linux"}, "amd64", "arm64")

// nobody is who the images run as: a number, for runAsNonRoot.
const nobody = "65532:65532"

// Media types of the OCI image format 1.1:
// https://github.com/opencontainers/image-spec/blob/v1.1.1/media-types.md
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type index struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Manifests     []descriptor      `json:"manifests"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        descriptor        `json:"config"`
	Layers        []descriptor      `json:"layers"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type imageConfig struct {
	platform
	Created time.Time `json:"created"`
	Config  struct {
		User       string
		Env        []string
		Entrypoint []string
		WorkingDir string
		Labels     map[string]string
	} `json:"config"`
	Root struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []history `json:"history"`
}

type history struct {
	Created   time.Time `json:"created"`
	CreatedBy string    `json:"created_by"`
}

// images writes an archive for each program that runs in containers. It holds an image for each
// platform, and whoever loads it takes that of its own.
func (r release) images() error {
	for _, p := range programs {
		if !p.image {
			continue
		}
		archive, err := r.image(p)
		if err != nil {
			return err
		}
		if err := r.write(p.name+"-oci.tar", archive); err != nil {
			return err
		}
	}
	return r.writeSums()
}

// image is an OCI image layout in a tar archive:
// https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
func (r release) image(p program) ([]byte, error) {
	l := layout{files: []file{
		{name: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{name: "blobs/", mode: 0o755}, {name: "blobs/sha256/", mode: 0o755},
	}}
	all := index{SchemaVersion: 2, MediaType: typeIndex, Annotations: r.labels(p)}
	for _, on := range imagePlatforms {
		if !slices.Contains(r.asked(p), on) {
			continue
		}
		files, err := r.rootFiles(p, on)
		if err != nil {
			return nil, err
		}
		all.Manifests = append(all.Manifests, l.addImage(r.config(p, on), tarball(files, r.date), r.labels(p)))
	}
	top := l.addJSON(typeIndex, all)
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": "localhost/" + p.name + ":" + r.version}
	l.files = append(l.files, file{"index.json", 0o644, encode(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{top}})})
	return tarball(l.files, r.date), nil
}

// rootFiles are all that an image holds.
func (r release) rootFiles(p program, on platform) ([]file, error) {
	binary, err := os.ReadFile(r.path(p.binary(on)))
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(err, errors.New("make dist makes the binaries"))
	}
	own, err2 := os.ReadFile("LICENSE")
	others, err3 := os.ReadFile(r.path(p.name + "-licenses.txt"))
	return []file{
		{name: p.name, mode: 0o755, data: binary},
		{name: "licenses/", mode: 0o755},
		{name: "licenses/LICENSE", mode: 0o644, data: own},
		{name: "licenses/licenses.txt", mode: 0o644, data: others},
	}, errors.Join(err, err2, err3)
}

// config says how the image is run: as a user without rights, who can still
// --install into an emptyDir.
func (r release) config(p program, on platform) (c imageConfig) {
	c.platform = on
	c.Created = r.date
	c.Config.User = nobody
	c.Config.Env = []string{"PATH=/"}
	c.Config.Entrypoint = []string{"/" + p.name}
	c.Config.WorkingDir = "/"
	c.Config.Labels = r.labels(p)
	c.History = []history{{r.date, "make image"}}
	return c
}

// labels are those of https://github.com/opencontainers/image-spec/blob/v1.1.1/annotations.md
func (r release) labels(p program) map[string]string {
	labels := map[string]string{
		"org.opencontainers.image.title":       p.name,
		"org.opencontainers.image.description": p.description,
		"org.opencontainers.image.version":     r.version,
		"org.opencontainers.image.created":     r.date.Format(time.RFC3339),
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
	if r.revision != "" {
		labels["org.opencontainers.image.revision"] = r.revision
	}
	return labels
}

// layout collects what goes into the archive.
type layout struct{ files []file }

// addImage adds an image of one layer.
func (l *layout) addImage(c imageConfig, layer []byte, annotations map[string]string) descriptor {
	c.Root.Type, c.Root.DiffIDs = "layers", []string{"sha256:" + sum(layer)}
	d := l.addJSON(typeManifest, manifest{
		SchemaVersion: 2, MediaType: typeManifest, Annotations: annotations,
		Config: l.addJSON(typeConfig, c),
		Layers: []descriptor{l.add(typeLayer, compress(layer))},
	})
	d.Platform = &c.platform
	return d
}

func (l *layout) addJSON(mediaType string, v any) descriptor { return l.add(mediaType, encode(v)) }

// add stores a blob under its checksum.
func (l *layout) add(mediaType string, data []byte) descriptor {
	l.files = append(l.files, file{"blobs/sha256/" + sum(data), 0o644, data})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum(data), Size: len(data)}
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	must(err)
	return data
}
