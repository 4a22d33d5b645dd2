package confit

import (
	"fmt"
	"strconv"
	"strings"
)

// entry is one log line of confit, by key.
type entry map[string]string

// entries are confit's own log lines with a message.
func (c *confit) entries(message string) []entry {
	var found []entry
	for _, text := range c.Texts("stderr", "time=") {
		if e := parseEntry(text); e["msg"] == message {
			found = append(found, e)
		}
	}
	return found
}

// wantNoErrors checks that nothing was rejected or went wrong. That the volumes didn't hold still for long enough is no
// fault, when a test swaps them as fast as it can.
func (c *confit) wantNoErrors() {
	c.t.Helper()
	var found []string
	for _, text := range c.Texts("stderr", "time=") {
		if level := parseEntry(text)["level"]; (level == "ERROR" || level == "WARN") && !strings.Contains(text, "change faster") {
			found = append(found, text)
		}
	}
	if len(found) > 0 {
		c.t.Errorf("%d errors and warnings were logged; the first: %s", len(found), found[0])
	}
}

// parseEntry reads key=value and key="quoted value", as slog's text handler writes them.
func parseEntry(text string) entry {
	e := entry{}
	for text != "" {
		key, rest, found := strings.Cut(text, "=")
		if !found {
			return e
		}
		value, after := nextValue(rest)
		e[key] = value
		text = strings.TrimPrefix(after, " ")
	}
	return e
}

func nextValue(text string) (value, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && strings.HasPrefix(text, `"`) {
		value, _ = strconv.Unquote(quoted)
		return value, text[len(quoted):]
	}
	end := strings.IndexByte(text, ' ')
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// logs waits for the nth log line with a message.
func (c *confit) logs(message string, n int) entry {
	c.t.Helper()
	var found []entry
	c.Eventually(fmt.Sprintf("log line %d saying %q", n, message), func() bool {
		found = c.entries(message)
		return len(found) >= n
	})
	return found[n-1]
}

// wantLogged checks how many log lines with a message there are. They come through another pipe than what the app says, and
// may be the later ones; of what must not have been logged, none is waited for.
func (c *confit) wantLogged(message string, want int) {
	c.t.Helper()
	if want > 0 {
		c.logs(message, want)
	}
	c.wantCount(message, len(c.entries(message)), want)
}

// wantCount checks how often something was seen until now.
func (c *confit) wantCount(what string, found, want int) {
	c.t.Helper()
	if found != want {
		c.t.Errorf("%s: %d times, want %d", what, found, want)
	}
}

// wantRejected waits for the nth rejection and checks what an operator needs from it.
func (c *confit) wantRejected(step string, n int) entry {
	c.t.Helper()
	e := c.logs("candidate rejected", n)
	if e["step"] != step {
		c.t.Errorf("rejected in step %q, want %q: %v", e["step"], step, e)
	}
	for _, key := range []string{"reason", "live"} {
		if e[key] == "" {
			c.t.Errorf("the rejection doesn't tell the %s: %v", key, e)
		}
	}
	return e
}

// wantMention checks that confit's messages name something.
func (c *confit) wantMention(text string) {
	c.t.Helper()
	if !c.Contains(text) {
		c.t.Errorf("the transcript doesn't mention %q", text)
	}
}

// wantRolledBack waits for the nth roll back and checks what it led to.
func (c *confit) wantRolledBack(n int, generation string) {
	c.t.Helper()
	if e := c.logs("rolled back", n); e["generation"] != generation {
		c.t.Errorf("logged %v, want generation %s", e, generation)
	}
}
