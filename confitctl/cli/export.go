package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/netutil"

	"confit/confitctl/export"
	"confit/confitctl/program"
)

// limits are what clients of the exporter may take. The zero value of a field is
// no limit.
type limits struct {
	head, whole time.Duration // for what they send
	answer      time.Duration // until they have read it
	idle        time.Duration // between two requests
	connections int           // at a time; others wait
}

// usual ends a silent connection well within a minute. A scrape takes
// milliseconds, and Prometheus connects anew when it has to.
var usual = limits{head: 10 * time.Second, whole: 20 * time.Second, answer: 30 * time.Second, idle: 30 * time.Second, connections: 64}

// shutdown is how long scrapes that run have at a stop.
const shutdown = 3 * time.Second

func newExport() *cobra.Command {
	var listen, state string
	c := &cobra.Command{
		Use: "export [FLAG…]", Short: "serve metrics of what confit does",
		Long: exportHelp, Example: exportExample, Args: program.FlagsAlone, Annotations: map[string]string{"after": exportAfter},
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("cannot listen: %w; write --listen [ADDRESS]:PORT, such as :9533", err)
			}
			return usual.serve(c.Context(), l, export.Handler(export.Collector{State: state, Now: time.Now}))
		},
	}
	c.Flags().StringVar(&listen, "listen", ":9533", "`ADDRESS` and port to listen on")
	c.Flags().StringVar(&state, "state", "/run/confit", "`DIR`, confit's state directory; read-only will do")
	return c
}

// serve returns nil when the context ends: to be stopped is no failure here.
func (m limits) serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: m.head, ReadTimeout: m.whole, WriteTimeout: m.answer, IdleTimeout: m.idle,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(l, m.connections)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	if err := server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return nil
}
