package config

import (
	"io"
	"log/slog"
	"strings"

	"confit/signals"
)

// Logger writes the log in the format and from the level on that the flags name.
func (c *Config) Logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// LogValue is the settings in force, for the log's first line.
func (c *Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("links", strings.Join(c.LinkFiles, ",")),
		slog.String("volumes", c.Volumes),
		slog.String("state", c.State),
		slog.String("render", joinWords(c.Render)),
		slog.String("validate", joinWords(c.Validate)),
		slog.String("gate", joinWords(c.Gate)),
		slog.String("reload", c.Reload.String()),
		slog.String("verify", joinWords(c.Verify)),
		slog.Duration("probation", c.Probation),
		slog.String("stop-signal", signals.Name(c.StopSignal)),
		slog.Duration("rescan", c.Rescan),
	)
}
