// Command coredns is CoreDNS with only the plugins that the tests use: with all of them it takes minutes to build.
package main

import (
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/chaos"
	_ "github.com/coredns/coredns/plugin/reload"
)

func main() { coremain.Run() }
