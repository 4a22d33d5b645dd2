package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"

	"confit/confitctl/post"
	"confit/confitctl/program"
)

func newPost() *cobra.Command {
	var r post.Request
	var headers []string
	var data, expect string
	var most time.Duration
	c := &cobra.Command{
		Use: "post [FLAG…] URL", Short: "ask an app to reload by HTTP",
		Long: postHelp, Example: postExample, Args: oneURL, Annotations: map[string]string{"after": postAfter},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if err := possible(r, most); err != nil {
				return err
			}
			r.URL = args[0]
			if u, err := url.Parse(r.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return program.Wrong("the URL is none that can be asked: write http://HOST… or https://HOST…")
			}
			if r.Expect, err = post.ParseStatuses(expect); err != nil {
				return program.Wrong("--expect %w", err)
			}
			if r.Header, err = header(headers); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(c.Context(), most, fmt.Errorf("%s are over", most))
			defer cancel()
			return program.AtOnce(ctx, func() (err error) {
				if r.Body, err = body(data); err != nil {
					return err
				}
				return r.Send(ctx)
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
	flags.DurationVar(&most, "deadline", deadline, "`D`, how long all tries may take; less than confit's --hook-timeout")
	flags.BoolVar(&r.Proxy, "proxy", false, "go through the proxy that HTTP_PROXY or HTTPS_PROXY names; a token goes to it, too")
	return c
}

// oneURL refuses any other number of words. No error has one: it may be a secret.
func oneURL(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("there are %d words that are no flag: write one URL, and quotes around a value with blanks", len(args))
	}
	return nil
}

// possible refuses what no request can be.
func possible(r post.Request, most time.Duration) error {
	switch {
	case !httpguts.ValidHeaderFieldName(r.Method): // which has the same characters: RFC 9110, 9.1 and 5.6.2
		return program.Wrong("--method is %q: write one word, such as POST", r.Method)
	case r.Tries < 1:
		return program.Wrong("--tries is %d: write 1 or more", r.Tries)
	case r.Timeout <= 0:
		return program.Wrong("--timeout is %s: write more than 0", r.Timeout)
	case most <= 0:
		return program.Wrong("--deadline is %s: write more than 0", most)
	}
	return nil
}

// header reads the lines. No error has a value: it may be a secret.
func header(lines []string) (http.Header, error) {
	h := http.Header{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok || name == "":
			return nil, program.Wrong("--header: a line has no colon; write 'Name: value'")
		case !httpguts.ValidHeaderFieldName(name):
			return nil, program.Wrong("--header: a name has other characters than letters, digits and dashes; write 'Name: value'")
		case !httpguts.ValidHeaderFieldValue(value):
			return nil, program.Wrong("--header: the value of %s has line ends or control characters: remove them", name)
		}
		h.Add(name, value)
	}
	return h, nil
}

func body(data string) ([]byte, error) {
	if file, ok := strings.CutPrefix(data, "@"); ok {
		text, err := os.ReadFile(file)
		if err != nil {
			err = fmt.Errorf("cannot read the data: %w; write --data @FILE of one that is there, or --data TEXT", err)
		}
		return text, err
	}
	return []byte(data), nil
}
