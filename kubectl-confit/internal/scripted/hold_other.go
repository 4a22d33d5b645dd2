//go:build !unix

package scripted

import "net"

// hold finds an address that nobody has now.
func hold() (*line, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &line{address: listener.Addr().String(), free: func() {}}, listener.Close()
}
