// Package scripted is an API server for tests, over real HTTP: what it holds is scripted, how it speaks is real.
//
// It guarantees that a client of client-go can discover, get, list in pages, watch, create, patch, update and delete ConfigMaps,
// Secrets, Leases, pods and workloads as on a real server, with one resourceVersion for all, and run commands in containers by WebSocket
// or SPDY, with Kubernetes' own code for the server's side of the streams.
//
// It knows no admission, no controllers and no kubelet, and checks no object. A test that needs these has a real API server.
package scripted
