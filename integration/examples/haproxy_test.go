//go:build check

package examples

// refuseAddress makes an edit that haproxy's check lets through: an address that is nobody's here (RFC 5737). The master keeps the
// old workers, and says so when it is asked.
func refuseAddress(c *container) {
	c.t.Helper()
	revert := c.edit("haproxy.cfg", "bind :8080", "bind :8080\n    bind 192.0.2.1:8080")
	c.logs(1, `msg="candidate rejected"`, "step=verify")
	c.logs(1, `msg="rolled back"`)
	c.answers(get("http://127.0.0.1:8080/"), second)
	revert()
	c.logs(2, `msg="mounted configuration is live again"`)
	c.answers(get("http://127.0.0.1:8080/"), second)
}
