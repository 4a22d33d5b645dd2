package config

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"testing"
	"time"
)

// TestJSONLog: durations are as people write them, in groups, too.
func TestJSONLog(t *testing.T) {
	var b bytes.Buffer
	c := Config{LogJSON: true, LogLevel: slog.LevelWarn}
	log := c.Logger(&b)
	log.Info("left out")
	log.Warn("kept", "wait", 90*time.Second, "n", 7, slog.Group("settings", "splay", time.Duration(0), "any", any(10*time.Millisecond)))
	got := fieldsOf(t, b.Bytes())
	want := map[string]any{"level": "WARN", "msg": "kept", "wait": "1m30s", "n": 7.0, "settings": map[string]any{"splay": "0s", "any": "10ms"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("logged %v, want %v", got, want)
	}
}

// TestRecord: it is one line, whatever is in it.
func TestRecord(t *testing.T) {
	for in, out := range map[string]string{"a\nb": "a\nb", "\xff\x00\x1b<&>\u2028": "\uFFFD\x00\x1b<&>\u2028", "": ""} {
		data := Record(slog.LevelInfo, "hook output", "line", in)
		if n := bytes.IndexByte(data, '\n'); n != len(data)-1 {
			t.Errorf("%q: not one line: %q", in, data)
		}
		if got := fieldsOf(t, data); got["line"] != out || got["msg"] != "hook output" || got["level"] != "INFO" {
			t.Errorf("%q: recorded as %v", in, got)
		}
	}
}

// fieldsOf reads a record, and takes away its time.
func fieldsOf(t *testing.T, data []byte) (fields map[string]any) {
	t.Helper()
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	if _, err := time.Parse(time.RFC3339Nano, fields["time"].(string)); err != nil {
		t.Error(err)
	}
	delete(fields, "time")
	return fields
}
