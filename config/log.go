package config

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
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

// readable writes a duration as people do, and not in nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if d, ok := a.Value.Any().(time.Duration); ok {
		a.Value = slog.StringValue(d.String())
	}
	return a
}

// Record is one line of a log in JSON, which no level keeps out.
func Record(level slog.Level, message string, keys ...any) []byte {
	var b bytes.Buffer
	jsonLogger(&b, level).Log(context.Background(), level, message, keys...)
	return b.Bytes()
}

// logFormat reports whether the log is JSON.
type logFormat bool

func (v *logFormat) read(text string) error {
	i, err := oneOf(text, "json", "text")
	*v = i == 0
	return err
}

func (v *logFormat) show() string {
	if *v {
		return "json"
	}
	return "text"
}

// logLevel is the level from which on the log has lines.
type logLevel slog.Level

func (v *logLevel) read(text string) error {
	i, err := oneOf(text, "debug", "error", "info", "warn")
	if err == nil {
		*v = logLevel([...]slog.Level{slog.LevelDebug, slog.LevelError, slog.LevelInfo, slog.LevelWarn}[i])
	}
	return err
}

func (v *logLevel) show() string { return strings.ToLower(slog.Level(*v).String()) }

// oneOf is the place of a text among its choices, or -1.
func oneOf(text string, choices ...string) (int, error) {
	i := slices.Index(choices, text)
	if i < 0 {
		return i, fmt.Errorf("%q is not known here: write one of %s", text, strings.Join(choices, ", "))
	}
	return i, nil
}
