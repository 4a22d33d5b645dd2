package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What the label costs the start of a pod: from its creation to the app's first act, each kind of pod several times in turn.

const costRounds = 5

// costs are the kinds of pods: their labels, and where the key is mounted.
var costs = []struct {
	what, label, dir string
}{
	{"without the label", "none", "/opt/app"},
	{"with the label, in an emptyDir of the pod: an init container", "inject", "/scratch"},
	{"with the label, in a directory of the image: three", "inject", "/opt/app"},
}

func (s *injected) showCost() error {
	took := make([][]time.Duration, len(costs))
	for range costRounds {
		for i := range costs {
			d, err := s.cost(i)
			if err != nil {
				return err
			}
			took[i] = append(took[i], d)
		}
	}
	for i, c := range costs {
		slices.Sort(took[i])
		s.show("a pod %s starts after %v, between %v and %v", c.what, took[i][costRounds/2], took[i][0], took[i][costRounds-1])
	}
	if later := took[2][costRounds/2] - took[0][costRounds/2]; later > 30*time.Second {
		return fmt.Errorf("a pod with the label starts %v later", later)
	}
	return nil
}

// cost makes a pod of a kind, and says how long it took until its app ran.
func (s *injected) cost(kind int) (time.Duration, error) {
	const name = "cost"
	c := costs[kind]
	body, err := json.Marshal(object{
		"metadata": object{"name": name, "labels": object{"confit": c.label}},
		"spec": object{
			"terminationGracePeriodSeconds": 0,
			"volumes":                       []object{{"name": "page", "configMap": object{"name": "page"}}, {"name": "scratch", "emptyDir": object{}}},
			"containers": []object{{"name": "app", "image": nginxImage, "command": []string{"sh", "-c", `echo "told: $(date +%s%N)"; exec sleep 1d`},
				"volumeMounts": []object{{"name": "scratch", "mountPath": "/scratch"}, {"name": "page", "mountPath": c.dir + "/page.txt", "subPath": "text"}}}},
		}})
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if _, err := s.create(s.path(pods), typeJSON, body); err != nil {
		return 0, err
	}
	var first int64
	err = until(s.ctx, "the app runs", func() error {
		told, err := s.told(name)
		if err != nil || len(told) == 0 {
			return errors.Join(errors.New("it hasn't told anything"), err)
		}
		first, err = strconv.ParseInt(strings.TrimSpace(told[0]), 10, 64)
		return err
	})
	return time.Unix(0, first).Sub(begin).Round(time.Millisecond), errors.Join(err, s.remove(name, 0))
}
