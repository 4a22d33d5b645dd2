//go:build check

package examples

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"confit/integration/volume"
)

// manifest is what the tests need of a kubernetes.yaml, which is written in the form that they read: volumes and mounts in a line
// each, and the keys of a ConfigMap as literal blocks.
type manifest struct {
	configMaps map[string]volume.Payload
	mounts     map[string]string // path → volume
	sources    map[string]string // volume → ConfigMap; "": an emptyDir
	items      map[string]string // key → path in the volume, for those that are mounted elsewhere
	user       int               // whom the pod runs as; 0: the image says
	readOnly   bool              // the root file system
	pod        []string          // the environment that the pod gives
	text       string
}

var (
	mountLine     = regexp.MustCompile(`(?m)^ +- \{name: ([\w-]+), mountPath: ([\w/.-]+)[,}]`)
	configMapLine = regexp.MustCompile(`(?m)^ +- (?:\{name: ([\w-]+), configMap: \{|name: ([\w-]+)\n +configMap:\n +)name: ([\w-]+)[,}\n]`)
	itemLine      = regexp.MustCompile(`(?m)^ +- \{key: ([\w.-]+), path: ([\w/.-]+)\}`)
	userLine      = regexp.MustCompile(`(?m)^ +runAsUser: (\d+)`)
	emptyDirLine  = regexp.MustCompile(`(?m)^ +- \{name: ([\w-]+), emptyDir: \{`)
	nameLine      = regexp.MustCompile(`(?m)^(?:  |metadata: \{)name: ([\w-]+)`)
	envLine       = regexp.MustCompile(`(?m)^ +- \{name: (\w+), value: "?([\w,/:.-]+)"?\}`)
	fieldLine     = regexp.MustCompile(`(?m)^ +- \{name: (\w+), valueFrom: \{fieldRef: \{fieldPath: "?([\w.\[\]'-]+)"?\}\}\}`)
	keyLine       = regexp.MustCompile(`^  ([\w.-]+): \|(-?)\n$`)
)

func readManifest(t *testing.T, path string) manifest {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	m := manifest{
		configMaps: map[string]volume.Payload{}, mounts: map[string]string{}, sources: map[string]string{}, items: map[string]string{},
		readOnly: strings.Contains(string(text), "readOnlyRootFilesystem: true\n"), text: string(text),
	}
	for _, match := range envLine.FindAllStringSubmatch(m.text, -1) {
		m.pod = append(m.pod, match[1]+"="+match[2])
	}
	for _, match := range fieldLine.FindAllStringSubmatch(m.text, -1) {
		m.pod = append(m.pod, match[1]+"="+downward(t, match[2]))
	}
	if match := userLine.FindSubmatch(text); match != nil {
		m.user, err = strconv.Atoi(string(match[1]))
		must(t, err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		if strings.Contains(document, "kind: ConfigMap\n") {
			m.configMaps[nameLine.FindStringSubmatch(document)[1]] = data(t, document)
		}
	}
	for _, match := range configMapLine.FindAllStringSubmatch(string(text), -1) {
		if m.configMaps[match[3]] == nil {
			t.Fatalf("the manifest mounts the ConfigMap %q, and has none", match[3])
		}
		m.sources[match[1]+match[2]] = match[3]
	}
	for _, match := range itemLine.FindAllStringSubmatch(string(text), -1) {
		m.items[match[1]] = match[2]
	}
	for _, match := range emptyDirLine.FindAllStringSubmatch(string(text), -1) {
		m.sources[match[1]] = ""
	}
	for _, match := range mountLine.FindAllStringSubmatch(string(text), -1) {
		if _, known := m.sources[match[1]]; !known {
			t.Fatalf("the manifest mounts the volume %q, and has none", match[1])
		}
		m.mounts[match[2]] = match[1]
	}
	return m
}

// downward is what the downward API gives for a field.
func downward(t *testing.T, field string) string {
	t.Helper()
	values := map[string]string{"metadata.uid": "6bd11f0e-0000-4000-8000-000000000001", "metadata.labels['pod-template-hash']": "7f8694c5d"}
	if values[field] == "" {
		t.Fatalf("the manifest names the field %s, which this test doesn't know", field)
	}
	return values[field]
}

// data is that of a ConfigMap. One that the app itself fills has none.
func data(t *testing.T, document string) volume.Payload {
	t.Helper()
	_, lines, _ := strings.Cut(document+"\n", "\ndata:\n")
	payload, key, ends := volume.Payload{}, "", map[string]string{}
	for line := range strings.Lines(lines) {
		if match := keyLine.FindStringSubmatch(line); match != nil {
			key = match[1]
			payload[key], ends[key] = volume.File{}, map[string]string{"": "\n", "-": ""}[match[2]]
			continue
		}
		text, indented := strings.CutPrefix(line, "    ")
		if !indented && line != "\n" || key == "" {
			t.Fatalf("the manifest has a line that this test doesn't know: %q", line)
		}
		payload[key] = volume.File{Data: append(payload[key].Data, text...)}
	}
	for key, file := range payload { // YAML keeps one line feed at the end, or none
		payload[key] = volume.File{Data: []byte(strings.TrimRight(string(file.Data), "\n") + ends[key])}
	}
	return payload
}
