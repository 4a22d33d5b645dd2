//go:build check

package examples

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"confit/integration/volume"
)

// newPair makes a certificate with a name, and its key: a Secret of the type kubernetes.io/tls.
func newPair(t *testing.T, name string) volume.Payload {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	certificate := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, &certificate, &certificate, &key.PublicKey, key)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return volume.Payload{
		"tls.crt": {Data: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})},
		"tls.key": {Data: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})},
	}
}

// subject asks for the name of the certificate that is served.
func subject(c *container) (string, error) {
	connection, err := c.Dial(c.t.Context(), "tcp", "127.0.0.1:443")
	if err != nil {
		return "", err
	}
	defer connection.Close()
	must(c.t, connection.SetDeadline(time.Now().Add(answerPatience)))
	session := tls.Client(connection, &tls.Config{InsecureSkipVerify: true}) // whose it is, is the question
	if err := session.Handshake(); err != nil {
		return "", err
	}
	return session.ConnectionState().PeerCertificates[0].Subject.CommonName, nil
}
