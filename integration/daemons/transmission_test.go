//go:build check

package daemons

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
)

// At HUP transmission reads its file again. At its end it writes it anew.
var transmission = daemon{
	name: "transmission",
	key:  "settings.json",
	text: `{"download-dir": "/run/GENERATION", "rpc-port": 8080, "rpc-bind-address": "127.0.0.1", "peer-port": 0}
`,
	spoiled:  "{\n",
	app:      "transmission-daemon -f -g /srv/etc",
	network:  "tcp",
	question: askDownloadDir,
}

// askDownloadDir asks twice: the first answer has the session that a question must name.
func askDownloadDir(c *confit) (text string, err error) {
	const session = "X-Transmission-Session-Id"
	client := &http.Client{Timeout: answerPatience, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return c.dial() }}}
	for id, asked := "", 0; asked < 2 && err == nil; asked++ {
		request, _ := http.NewRequest(http.MethodPost, "http://"+address+"/transmission/rpc", strings.NewReader(`{"method": "session-get"}`))
		request.Header.Set(session, id)
		var response *http.Response
		if response, err = client.Do(request); err == nil {
			var body []byte
			body, err = io.ReadAll(response.Body)
			_ = response.Body.Close()
			id, text = response.Header.Get(session), string(body)
		}
	}
	return text, err
}
