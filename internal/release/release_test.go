package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestIdentify: the licence of this repository is known, and no text is taken
// for another.
func TestIdentify(t *testing.T) {
	own, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	const bsd = "Redistribution and use in source and\nbinary forms, with or without modification, are permitted"
	for text, want := range map[string][]string{
		string(own): {"Apache-2.0"},
		bsd:         {"BSD-2-Clause"},
		bsd + " Neither the name of X may be used to endorse\n or promote products":    {"BSD-3-Clause"},
		"Permission is hereby granted, free of charge, to any person obtaining a copy": {"MIT"},
		"All rights reserved.": nil,
	} {
		if got := identify(text); !slices.Equal(got, want) {
			t.Errorf("%.60q… is %v, want %v", text, got, want)
		}
	}
}

// TestUnknownLicence: what nobody has read is not handed out.
func TestUnknownLicence(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/LICENSE", []byte("All rights reserved."), 0o600); err != nil {
		t.Fatal(err)
	}
	l := licenses{texts: map[string][]string{}, ids: map[string][]string{}}
	if err := l.walk("example.com/m", "v1.0.0", dir, dir); err != nil {
		t.Fatal(err)
	}
	if err := l.checkComplete(); err == nil || !strings.Contains(err.Error(), "example.com/m") {
		t.Errorf("it is handed out: %v", err)
	}
}

// fake is a release of files that aren't programs, in a directory of its own.
func fake(t *testing.T) release {
	t.Chdir("../..") // where LICENSE is
	r := release{version: "1.2.3", revision: "abc", out: t.TempDir(), date: time.Unix(1700000000, 0).UTC(), url: "https://example.com/confit"}
	names := []string{"confit-linux-amd64", "confit-linux-arm64", "confit-linux-amd64.cdx.json", "confit-licenses.txt", "confit.1", "kubectl-confit-licenses.txt"}
	for _, on := range desks {
		names = append(names, plugin.binary(on), plugin.binary(on)+".cdx.json")
	}
	for _, name := range names {
		if err := r.write(name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestArchive: it holds the program, the page and all that is due, and the same
// files make the same bytes.
func TestArchive(t *testing.T) {
	r := fake(t)
	const name = "confit-1.2.3-linux-amd64"
	var first []byte
	for range 2 {
		if err := r.archive(confit, platform{"amd64", "linux"}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(r.path(name + ".tar.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, data) {
			t.Error("twice the same files aren't the same bytes")
		}
		first = data
	}
	files := unpack(t, gunzip(t, first))
	for _, want := range []string{"confit", "confit.1", "LICENSE", "licenses.txt", "sbom.cdx.json"} {
		if len(files[name+"/"+want]) == 0 {
			t.Errorf("there is no %s", want)
		}
	}
}

// TestImage follows an image from its index to its layer, as whoever loads it.
func TestImage(t *testing.T) {
	r := fake(t)
	archive, err := r.image(confit)
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, archive)
	var top, all index
	parse(t, files["index.json"], &top)
	parse(t, blob(t, files, top.Manifests[0]), &all)
	for i, on := range imagePlatforms {
		var m manifest
		var c imageConfig
		parse(t, blob(t, files, all.Manifests[i]), &m)
		parse(t, blob(t, files, m.Config), &c)
		layer := gunzip(t, blob(t, files, m.Layers[0]))
		if c.platform != on || *all.Manifests[i].Platform != on {
			t.Errorf("image %d is for %s, not for %s", i, c.platform, on)
		}
		if c.Root.DiffIDs[0] != "sha256:"+sum(layer) {
			t.Error("the layer is not the one that the configuration names")
		}
		if got := string(unpack(t, layer)["confit"]); got != "confit-"+on.String() {
			t.Errorf("the layer holds %q", got)
		}
		if c.Config.Labels["org.opencontainers.image.revision"] != "abc" {
			t.Errorf("the labels are %v", c.Config.Labels)
		}
	}
}

// TestImageOfOne: a platform that wasn't asked for isn't in it.
func TestImageOfOne(t *testing.T) {
	r := fake(t)
	r.only = []string{"linux-arm64"}
	archive, err := r.image(confit)
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, archive)
	var top, all index
	parse(t, files["index.json"], &top)
	parse(t, blob(t, files, top.Manifests[0]), &all)
	if len(all.Manifests) != 1 || all.Manifests[0].Platform.Architecture != "arm64" {
		t.Errorf("the images are %+v", all.Manifests)
	}
}

func blob(t *testing.T, files map[string][]byte, d descriptor) []byte {
	t.Helper()
	data := files["blobs/"+strings.ReplaceAll(d.Digest, ":", "/")]
	if len(data) != d.Size || "sha256:"+sum(data) != d.Digest {
		t.Fatalf("blob %s isn't what its name says", d.Digest)
	}
	return data
}

func parse(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func unpack(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
