package config

import (
	"fmt"
	"io"
	"strings"

	"confit/linker"
	"confit/signals"
)

// Explain prints the settings and what confit would do with the links. It changes
// nothing. Its error names the links that can't be made.
func Explain(w io.Writer, c *Config) error {
	settle := c.Settle.String()
	if c.Settle == SettleAuto {
		settle = "0 for a single atomic volume, else " + DefaultSettle.String()
	}
	for _, row := range [][2]string{
		{"links", strings.Join(c.LinkFiles, ", ")}, {"volumes", c.Volumes}, {"state", c.State},
		{"allow-disk", fmt.Sprint(c.AllowDisk)}, {"settle", settle}, {"rescan", c.Rescan.String()},
		{"fallback", c.Fallback}, {"render", JoinWords(c.Render)},
		{"validate", JoinWords(c.Validate)}, {"gate", JoinWords(c.Gate)}, {"report", JoinWords(c.Report)}, {"hook-timeout", c.HookTimeout.String()},
		{"reload", c.Reload.String()}, {"splay", c.Splay.String()}, {"probation", c.Probation.String()},
		{"verify", JoinWords(c.Verify)}, {"verify-timeout", c.VerifyTimeout.String()}, {"retry", c.Retry.String()},
		{"stop-signal", signals.Name(c.StopSignal)},
		{"stop-timeout", c.StopTimeout.String()}, {"app", JoinWords(c.App)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "%-18s%s\n", row[0], row[1])
		}
	}
	return linker.Explain(w, c.Linker(nil))
}
