package config

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
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

func (v *logFormat) read(text string) (err error) {
	*v, err = oneOf(text, map[string]logFormat{"text": false, "json": true})
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
	l, err := oneOf(text, map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError})
	*v = logLevel(l)
	return err
}

func (v *logLevel) show() string { return strings.ToLower(slog.Level(*v).String()) }

func oneOf[T any](text string, choices map[string]T) (T, error) {
	chosen, ok := choices[text]
	if !ok {
		return chosen, fmt.Errorf("%q is not known here: write one of %s", text, strings.Join(slices.Sorted(maps.Keys(choices)), ", "))
	}
	return chosen, nil
}
