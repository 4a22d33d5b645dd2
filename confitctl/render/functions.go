package render

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
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
	for lax, name := range musts(all) {
		all[lax] = all[name]
	}
	all["env"] = func(name string) (string, error) { return variable(environ, name) }
	all["hasEnv"] = func(name string) bool { _, ok := environ(name); return ok }
	all["file"] = func(name string) (string, error) { return file(files, name) }
	all["hasFile"] = func(name string) bool { _, err := file(files, name); return err == nil }
	all["files"] = func(pattern string) ([]string, error) { return fs.Glob(files, pattern) }
	all["fromYaml"], all["toYaml"], all["fromJson"] = fromYAML, toYAML, fromJSON
	for _, name := range []string{"toJson", "toPrettyJson", "toRawJson"} {
		all[name] = inUTF8(all[name].(func(any) (string, error)))
	}
	all["required"] = required
	all["urlParse"] = urlParse(all["urlParse"].(func(string) map[string]any))
	for _, strict := range []func(map[string]any){strictMaps, strictNumbers, strictTexts, strictOthers, boundedFunctions} {
		strict(all)
	}
	for lax, name := range musts(all) {
		all[name] = all[lax]
	}
	return all
}

// musts are the functions that are there twice, by the name of the first.
func musts(all template.FuncMap) map[string]string {
	twice := map[string]string{}
	for name := range all {
		if rest, ok := strings.CutPrefix(name, "must"); ok && rest != "" {
			if lax := strings.ToLower(rest[:1]) + rest[1:]; all[lax] != nil {
				twice[lax] = name
			}
		}
	}
	return twice
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
