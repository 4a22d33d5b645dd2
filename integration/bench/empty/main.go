// Command empty is a Go program that does nothing: what it takes is the language's.
package main

import "time"

func main() { time.Sleep(1<<63 - 1) }
