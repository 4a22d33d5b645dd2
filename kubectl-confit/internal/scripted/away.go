package scripted

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Codes of a refusal that no server has: the connection ends before the request is done, or when it is, and its answer is lost; or it is done,
// and the answer is a 500, as of an etcd that is slow.
const (
	Cut    = -1
	Lost   = -2
	Broken = -3
)

// Away has the server end as if it was killed, streams included: nobody listens until it is Back, and the kernel refuses whoever connects.
func (s *Server) Away() { s.line.end() }

// Back has a server that was away listen again.
func (s *Server) Back() {
	s.t.Helper()
	if err := s.line.begin(s); err != nil {
		s.t.Error(err)
	}
}

// line is the address of a server, whether somebody listens there or not.
type line struct {
	address string
	free    func() // lets others have the address
	lock    sync.Mutex
	server  *http.Server
	listen  net.Listener
	served  chan struct{} // no connection is taken any more
	open    map[net.Conn]bool
}

// begin has a handler answer.
func (l *line) begin(h http.Handler) error {
	listener, err := net.Listen("tcp4", l.address)
	if err != nil {
		return err
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	l.open, l.listen, l.served = map[net.Conn]bool{}, listener, make(chan struct{})
	l.server = &http.Server{Handler: h, ConnState: func(c net.Conn, state http.ConnState) { // one that is hijacked stays known
		l.lock.Lock()
		defer l.lock.Unlock()
		if l.open[c] = state != http.StateClosed; !l.open[c] {
			delete(l.open, c)
		}
	}}
	go func(server *http.Server, served chan struct{}) {
		defer close(served)
		_ = server.Serve(listener) // it ends with an error, always
	}(l.server, l.served)
	return nil
}

// end has nobody answer. A server that doesn't serve yet would leave the listener as it is.
func (l *line) end() {
	l.lock.Lock()
	server, listen, served := l.server, l.listen, l.served
	l.lock.Unlock()
	_ = listen.Close()
	<-served
	_ = server.Close() // the connections are closed below, too
	l.lock.Lock()
	open := l.open
	l.open = map[net.Conn]bool{}
	l.lock.Unlock()
	for c := range open {
		_ = c.Close()
	}
}

// interrupt ends the connection of a request, once it is done if its answer is to be lost.
func interrupt(code int, do func(http.ResponseWriter) error) {
	if code == Lost {
		_ = do(httptest.NewRecorder()) // nobody is told
	}
	panic(http.ErrAbortHandler)
}
