package render

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// unrepeatable are functions of sprig that depend on a clock, on chance or on
// the machine. [sprig.HermeticTxtFuncMap] leaves out only some. toDate reads the
// machine's time zone, and without it there is no time to give to unixEpoch.
var unrepeatable = []string{
	"ago", "bcrypt", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
	"genSignedCert", "genSignedCertWithKey", "htpasswd", "mustDateModify", "must_date_modify", "mustToDate", "randInt", "shuffle", "toDate", "unixEpoch",
}

// functions is sprig's, and those that read inputs. Where sprig has a function
// twice, one that returns nothing and a must… that returns an error, both names
// are the second.
func functions(files fs.FS, environ func(string) (string, bool)) template.FuncMap {
	all := sprig.HermeticTxtFuncMap()
	for _, name := range unrepeatable {
		delete(all, name)
	}
	for name, f := range all {
		rest, ok := strings.CutPrefix(name, "must")
		if !ok || rest == "" {
			continue
		}
		if lax := strings.ToLower(rest[:1]) + rest[1:]; all[lax] != nil {
			all[lax] = f
		}
	}
	all["env"] = func(name string) (string, error) { return variable(environ, name) }
	all["hasEnv"] = func(name string) bool { _, ok := environ(name); return ok }
	all["file"] = func(name string) (string, error) { return file(files, name) }
	all["hasFile"] = func(name string) bool { _, err := file(files, name); return err == nil }
	all["files"] = func(pattern string) ([]string, error) { return fs.Glob(files, pattern) }
	all["fromYaml"] = fromYAML
	all["toYaml"] = toYAML
	all["urlParse"] = urlParse(all["urlParse"].(func(string) map[string]any))
	strictMaps(all)
	return all
}

// urlParse is sprig's, but an error doesn't quote the URL, which may hold a
// password.
func urlParse(parse func(string) map[string]any) func(string) (map[string]any, error) {
	return func(text string) (map[string]any, error) {
		if _, err := url.Parse(text); err != nil {
			return nil, errors.New("cannot read the URL; it isn't shown, as it may hold a password")
		}
		return parse(text), nil
	}
}

func variable(environ func(string) (string, bool), name string) (string, error) {
	value, ok := environ(name)
	if !ok {
		return "", fmt.Errorf("the environment has no variable %q", name)
	}
	return value, nil
}

// file is read as it is; the line's end at its end is part of it.
func file(files fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(files, name)
	return string(data), err
}

// quoted is what a parser quotes of its input.
var quoted = regexp.MustCompile("(?s)[`'\"].*[`'\"]")

// fromYAML leaves what the parser quotes out of its error: a password that
// begins with an asterisk is an unknown anchor to it.
func fromYAML(text string) (value any, err error) {
	if err = yaml.Unmarshal([]byte(text), &value); err != nil {
		return nil, errors.New(quoted.ReplaceAllLiteralString(err.Error(), "…"))
	}
	return value, nil
}

func toYAML(value any) (string, error) {
	data, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(data), "\n"), err
}
