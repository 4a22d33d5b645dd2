package lease

import (
	"net/http"

	"k8s.io/client-go/rest"
)

// dateKey is where a request's context says whoever wants to know when the server
// answered.
type dateKey struct{}

// Dated is a configuration whose clients tell when the server answered, by its own
// clock: the client keeps no header.
func Dated(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return dated{next} })
	return c
}

type dated struct{ next http.RoundTripper }

// RoundTrip is that of [http.RoundTripper].
func (d dated) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := d.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	if date, wanted := r.Context().Value(dateKey{}).(*int64); wanted {
		if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			*date = at.Unix()
		}
	}
	return response, nil
}
