package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"text/template"
)

// krewName is the file that krew reads: it has to be the plugin's name.
const krewName = "confit.yaml"

// krewManifest tells krew, the package manager of kubectl's plugins, where the
// plugin is: https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
type krewManifest struct {
	Version, Homepage, Short string
	Platforms                []krewPlatform
}

// krewPlatform is one archive. Of it krew takes Files, and links Bin.
type krewPlatform struct {
	platform
	URI, SHA256, Dir, Bin string
	Files                 []string
}

// krewText has no links or second programs in archives: krew unpacks plain files
// and puts one program on the PATH.
var krewText = template.Must(template.New(krewName).Parse(`apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: confit
spec:
  version: {{.Version}}
  homepage: {{.Homepage}}
  shortDescription: {{.Short}}
  description: |
    For pods in which confit is PID 1: it follows ConfigMaps and Secrets, checks
    each edit, reloads the app and rolls back. This plugin tells what became of
    an edit, pod by pod, waits for it as kubectl rollout status does for images,
    checks it before it is applied, and puts confit into manifests.
  caveats: |
    For completion link the program under the name that kubectl looks for:
      ln -s kubectl-confit "${KREW_ROOT:-$HOME/.krew}/bin/kubectl_complete-confit"
  platforms:
{{- range .Platforms}}
  - selector:
      matchLabels:
        os: {{.OS}}
        arch: {{.Architecture}}
    uri: {{.URI}}
    sha256: {{.SHA256}}
    bin: {{.Bin}}
    files:
{{- $dir := .Dir}}{{range .Files}}
    - from: {{$dir}}/{{.}}
      to: .
{{- end}}
{{- end}}
`))

// writeKrew writes the manifest of the archives that are there.
func (r release) writeKrew() error {
	m, err := r.krew()
	if err != nil || len(m.Platforms) == 0 {
		return err
	}
	return r.write(krewName, m.text())
}

// krew describes the archives that are there.
func (r release) krew() (krewManifest, error) {
	version, err := krewVersion(r.version)
	m := krewManifest{Version: version, Homepage: r.url, Short: plugin.description}
	if err != nil {
		return m, err
	}
	for _, on := range r.asked(plugin) {
		name := r.archiveName(plugin, on)
		data, err := os.ReadFile(r.path(name))
		if err != nil {
			return m, err
		}
		bin := plugin.name + on.extension()
		m.Platforms = append(m.Platforms, krewPlatform{
			platform: on, SHA256: sum(data), Dir: r.unpacked(plugin, on), Bin: bin,
			URI:   r.url + "/releases/download/v" + r.version + "/" + name,
			Files: []string{bin, "LICENSE", "licenses.txt"},
		})
	}
	return m, nil
}

func (m krewManifest) text() []byte {
	var b bytes.Buffer
	must(krewText.Execute(&b, m))
	return b.Bytes()
}

// checkKrew holds that the manifest is that of the archives.
func (r release) checkKrew() error {
	m, err := r.krew()
	if err != nil {
		return err
	}
	there, err := os.ReadFile(r.path(krewName))
	if err == nil && !bytes.Equal(there, m.text()) {
		err = fmt.Errorf("%s isn't the manifest of the archives beside it", r.path(krewName))
	}
	return err
}

// semantic is a version as https://semver.org has it.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?$`)

// krewVersion makes a semantic version of any: krew takes no other. What no tag
// names is older than each that has one.
func krewVersion(version string) (string, error) {
	for _, try := range []string{version, "0.0.0-" + version} {
		if semantic.MatchString(try) {
			return "v" + try, nil
		}
	}
	return "", fmt.Errorf("cannot make a version for krew of %q: write VERSION with letters, digits, . and - alone", version)
}
