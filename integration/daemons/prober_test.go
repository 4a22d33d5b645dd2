//go:build check

package daemons

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"time"
)

// answer is what the service said to one question.
type answer struct {
	asked, got time.Time
	name       string // of a generation, when there is no error
	err        error
}

const (
	// answerPatience bounds one question: far more than any daemon needs, so that only silence takes so long.
	answerPatience = 20 * time.Second
	// pause is the time between two questions.
	pause = 5 * time.Millisecond
	// resendInterval is how soon a client of UDP asks again: what a socket has received is lost when it is closed.
	resendInterval = 100 * time.Millisecond
)

var namePattern = regexp.MustCompile(`generation-\w+`)

// ask puts one question on a connection of its own.
func (c *confit) ask() answer {
	asked := time.Now()
	question := c.question
	if question == nil {
		question = (*confit).exchange
	}
	text, err := question(c)
	a := answer{asked: asked, got: time.Now(), err: err}
	if err == nil {
		a.name = namePattern.FindString(text)
	}
	if err == nil && a.name == "" {
		a.err = fmt.Errorf("the answer names no generation: %.200q", text)
	}
	return a
}

func (c *confit) exchange() (string, error) {
	connection, err := c.dial()
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if c.network == "udp" {
		return exchangePackets(connection, c.request)
	}
	if _, err := io.WriteString(connection, c.request); err != nil {
		return "", err
	}
	text, err := io.ReadAll(connection) // whole when the daemon closes the connection
	return string(text), err
}

// beginning is exchange with a service that leaves the connection open.
func (c *confit) beginning() (string, error) { return c.firstWords(c.request) }

// firstWords is what the service says at first.
func (c *confit) firstWords(request string) (string, error) {
	connection, err := c.dial()
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, request); err != nil {
		return "", err
	}
	words := make([]byte, 4096)
	n, err := connection.Read(words)
	return string(words[:n]), err
}

// dial connects to the service for one question, whose time is bounded.
func (c *confit) dial() (net.Conn, error) {
	deadline := time.Now().Add(answerPatience)
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	connection, err := c.Dial(ctx, c.network, address)
	if err != nil {
		return nil, err
	}
	return connection, connection.SetDeadline(deadline)
}

func exchangePackets(connection net.Conn, request string) (string, error) {
	packet := make([]byte, 512)
	for deadline := time.Now().Add(answerPatience); ; {
		if _, err := io.WriteString(connection, request); err != nil {
			return "", err
		}
		if err := connection.SetReadDeadline(time.Now().Add(resendInterval)); err != nil {
			return "", err
		}
		n, err := connection.Read(packet)
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().After(deadline) {
			return string(packet[:n]), err
		}
	}
}

// answers are those to the questions of one prober, in order.
type answers []answer

// probe asks all the time, until the returned function is called and then a question is answered.
func (c *confit) probe() (end func() answers) {
	stop, all := make(chan struct{}), make(chan answers)
	list := answers{c.ask()} // before whatever the caller does next
	go func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for stopped := false; !stopped || c.Alive() && list[len(list)-1].err != nil; list = append(list, c.ask()) {
			select {
			case <-stop:
				stopped = true
			default:
			}
			<-tick.C
		}
		all <- list
	}()
	return func() answers { close(stop); return <-all }
}

// failed are the questions that got no answer.
func (list answers) failed() answers {
	return slices.DeleteFunc(slices.Clone(list), func(a answer) bool { return a.err == nil })
}

// names are those of the generations that answered, in order, each run once.
func (list answers) names() []string {
	var names []string
	for _, a := range list {
		if a.err == nil {
			names = append(names, a.name)
		}
	}
	return slices.Compact(names)
}

// outage is the time without service. For each run of questions that failed it goes from the answer before, after which nobody
// knows how long the service was still there, to the next answer.
func (list answers) outage() (total time.Duration) {
	since, failing := list[0].asked, false
	for _, a := range list {
		if a.err != nil {
			failing = true
			continue
		}
		if failing {
			total += a.got.Sub(since)
		}
		since, failing = a.got, false
	}
	return total
}

// slowest is the longest time that an answer took.
func (list answers) slowest() (longest time.Duration) {
	for _, a := range list {
		if a.err == nil {
			longest = max(longest, a.got.Sub(a.asked))
		}
	}
	return longest
}

// String sums up, for the log of a test.
func (list answers) String() string {
	text := fmt.Sprintf("%d questions, %d failed; answers of %q; %v without service; slowest answer %v",
		len(list), len(list.failed()), list.names(), list.outage(), list.slowest())
	if failed := list.failed(); len(failed) > 0 {
		text += fmt.Sprintf("; first error: %v", failed[0].err)
	}
	return text
}
