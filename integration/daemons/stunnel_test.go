//go:build check

package daemons

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"time"
)

// At HUP stunnel reads its file again, but by the path that realpath(3) found at its start: that of the first generation.
var stunnel = daemon{
	name: "stunnel",
	key:  "stunnel.conf",
	text: `
foreground = yes
pid =
debug = notice
syslog = no
[web]
accept = ` + address + `
cert = /srv/server.pem
exec = /bin/echo
execArgs = echo GENERATION
`,
	spoiled:  "no-such-option = 1\n",
	image:    map[string]string{"server.pem": certificate()},
	app:      "stunnel4 /srv/etc/stunnel.conf",
	network:  "tcp",
	question: askByTLS,
}

func askByTLS(c *confit) (string, error) {
	connection, err := c.dial()
	if err != nil {
		return "", err
	}
	defer connection.Close()
	text, err := io.ReadAll(tls.Client(connection, &tls.Config{InsecureSkipVerify: true}))
	return string(text), err
}

// certificate is one with its key, in PEM. Nobody verifies it.
func certificate() string {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	public, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}))
}
