package cli

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confit/confitctl/post"
)

func newPost() *cobra.Command {
	var r post.Request
	var headers []string
	var data, expect string
	c := &cobra.Command{
		Use: "post [FLAG…] URL", Short: "ask an app to reload by HTTP",
		Long: postHelp, Example: postExample, Args: cobra.ExactArgs(1), Annotations: map[string]string{"after": postAfter},
		RunE: func(c *cobra.Command, args []string) (err error) {
			r.URL = args[0]
			if u, err := url.Parse(r.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return usage("the URL must be http://… or https://…")
			}
			if r.Expect, err = post.ParseStatuses(expect); err != nil {
				return usage("--expect %w", err)
			}
			if r.Header, err = header(headers); err != nil {
				return err
			}
			return atOnce(c.Context(), func() (err error) {
				if r.Body, err = body(data); err != nil {
					return err
				}
				return r.Send(c.Context())
			})
		},
	}
	flags := c.Flags()
	flags.StringVar(&r.Method, "method", http.MethodPost, "`METHOD` of the request")
	flags.StringVar(&r.Unix, "unix", "", "`SOCKET` to connect to instead of the URL's host")
	flags.StringVar(&r.TokenFile, "token-file", "", "`FILE` with a bearer token, read for each try")
	flags.StringVar(&r.CA, "ca", "", "`FILE` with the certificates to trust instead of the system's")
	flags.StringArrayVar(&headers, "header", nil, "`NAME: VALUE` to send; repeatable")
	flags.StringVar(&data, "data", "", "`TEXT` to send, or @FILE")
	flags.StringVar(&expect, "expect", "2xx", "`STATUS` that means success; several with commas")
	flags.DurationVar(&r.Timeout, "timeout", 5*time.Second, "`D`, how long one try may take")
	flags.IntVar(&r.Tries, "tries", 5, "`N`, how often it is tried")
	return c
}

func header(lines []string) (http.Header, error) {
	h := http.Header{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, usage("--header: a line has no colon; write 'Name: value'") // and no value is printed
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

func body(data string) ([]byte, error) {
	if file, ok := strings.CutPrefix(data, "@"); ok {
		return os.ReadFile(file)
	}
	return []byte(data), nil
}
