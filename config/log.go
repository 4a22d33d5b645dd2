package config

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"time"
)

// Logger writes the log in the format and from the level on that the flags name.
func (c *Config) Logger(w io.Writer) *slog.Logger {
	if c.LogJSON {
		return jsonLogger(w, c.LogLevel)
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: c.LogLevel}))
}

func jsonLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: readable}))
}

var formats = map[string]bool{"json": true, "text": false}

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// readable writes a duration as people do, and not in nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if d, ok := a.Value.Any().(time.Duration); ok {
		a.Value = slog.StringValue(d.String())
	}
	return a
}

// Record is one line of a log in JSON, at any level.
func Record(level slog.Level, message string, keys ...any) []byte {
	var b bytes.Buffer
	jsonLogger(&b, level).Log(context.Background(), level, message, keys...)
	return b.Bytes()
}
