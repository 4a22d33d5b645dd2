package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// logged waits until lines with these words are in the log of a pod, one after the other, and shows them. It looks at each line
// once.
func (s *stage) logged(pod string, words ...string) error {
	for _, w := range words {
		err := until(s.ctx, "the log says "+w, func() error {
			lines, err := s.log(pod)
			if err != nil {
				return err
			}
			for i := s.seen[pod]; i < len(lines); i++ {
				if strings.Contains(lines[i], w) {
					s.seen[pod] = i + 1
					s.show("%s", lines[i])
					return nil
				}
			}
			return errors.New("it does not")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// times are those of the lines of a pod's log that have a text, as the runtime took them.
func (s *stage) times(pod, line string) (times []time.Time, err error) {
	text, err := s.get(s.path(pods, pod, "log") + "?timestamps=true")
	if err != nil {
		return nil, err
	}
	for each := range strings.Lines(string(text)) {
		if stamp, rest, _ := strings.Cut(each, " "); strings.Contains(rest, line) {
			at, err := time.Parse(time.RFC3339Nano, stamp)
			if err != nil {
				return nil, err
			}
			times = append(times, at)
		}
	}
	return times, nil
}

// explain shows the logs and states of the pods that there are, for a run that failed.
func (s *stage) explain() {
	text, err := s.get(s.path(pods))
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   json.RawMessage
		}
	}
	if err = errors.Join(err, json.Unmarshal(text, &list)); err != nil {
		fmt.Fprintln(s.evidence, err)
	}
	for _, p := range list.Items {
		path := s.path(pods, p.Metadata.Name, "log") + "?tailLines=50"
		log, _ := s.get(path)
		previous, _ := s.get(path + "&previous=true")
		fmt.Fprintf(s.evidence, "\n-- pod %s\n%s\n-- previous log\n%s\n-- log\n%s\n", p.Metadata.Name, p.Status, previous, log)
	}
}
