package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// logged waits until lines with these words are in the log of pod web, one after the other, and shows them. It looks at each line
// once.
func (s *story) logged(words ...string) error {
	for _, w := range words {
		err := until(s.ctx, "the log says "+w, func() error {
			lines, err := s.log("web")
			if err != nil {
				return err
			}
			for i := s.seen; i < len(lines); i++ {
				if strings.Contains(lines[i], w) {
					s.seen = i + 1
					show("%s", lines[i])
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

// sameNginx checks that pod web's nginx was neither restarted nor replaced.
func (s *story) sameNginx() error {
	p, err := s.pod("web")
	if err != nil {
		return err
	}
	if n := p.Status.ContainerStatuses[0].RestartCount; n != 0 {
		return fmt.Errorf("the container was restarted %d times", n)
	}
	return s.nginx.same()
}

// show prints evidence.
func show(format string, args ...any) { fmt.Printf("   "+format+"\n", args...) }

// explain prints the logs and states of the pods that there are, for a run that failed.
func (s *story) explain() {
	text, err := s.get(pods)
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   json.RawMessage
		}
	}
	if err = errors.Join(err, json.Unmarshal(text, &list)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for _, p := range list.Items {
		path := pods + "/" + p.Metadata.Name + "/log?tailLines=50"
		log, _ := s.get(path)
		previous, _ := s.get(path + "&previous=true")
		fmt.Fprintf(os.Stderr, "\n-- pod %s\n%s\n-- previous log\n%s\n-- log\n%s\n", p.Metadata.Name, p.Status, previous, log)
	}
}
