package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A pod that is rewritten starts where the plain one does, and sees the same files.

// atATime is how many rows of pods are there together.
const atATime = 4

func showPairs(sc *stage) error {
	s := &injected{stage: sc}
	rows := pairs(axes)
	return s.steps(
		step{"The policy, and what the pods mount", func() error { return s.preparePairs(len(rows)) }},
		step{fmt.Sprintf("%d pods, in which each two of %d things come together: plain, and rewritten", len(rows), len(axes)),
			func() error { return s.startPairs(rows) }},
		step{"A subPathExpr that names no variable: neither starts", s.startNeither},
	)
}

func (s *injected) preparePairs(rows int) (err error) {
	if s.image, err = s.byDigest("localhost/confit:devel", "example.com/confit"); err != nil {
		return err
	}
	own := object{}
	for n := range rows {
		for _, kind := range []string{"plain", "confit"} {
			own[fmt.Sprintf("%s-%d.conf", kind, n)] = fmt.Sprintf("of %d\n", n)
		}
	}
	for name, data := range map[string]object{"conf": {"a.conf": "a\n", "b.conf": "b\n"}, "own": own, "names": {"NAMED": "b.conf"}} {
		manifest, err := json.Marshal(object{"metadata": object{"name": name}, "data": data})
		if err == nil {
			_, err = s.create(s.path(configMaps), typeJSON, manifest)
		}
		if err != nil {
			return err
		}
	}
	return s.policy("examples/inject", `"name":"confit-install","image":"`+s.image+`"`)
}

// startPairs starts the pods of all rows, some at a time.
func (s *injected) startPairs(rows []row) error {
	wrong := make([]error, len(rows))
	for some := range slices.Chunk(numbers(len(rows)), atATime) {
		var all sync.WaitGroup
		for _, n := range some {
			all.Go(func() {
				if err := s.startPair(n, rows[n]); err != nil {
					wrong[n] = fmt.Errorf("pod %d%s: %w", n, rows[n], err)
				}
			})
		}
		all.Wait()
	}
	return errors.Join(wrong...)
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// startPair starts both pods of a row, and compares what their containers see.
func (s *injected) startPair(n int, r row) error {
	plain, rewritten := newPairPod("plain", n, r), newPairPod("confit", n, r)
	if err := errors.Join(s.startPlain(plain), s.startRewritten(rewritten)); err != nil {
		return err
	}
	var saw [2]map[string]seenFile
	for i, kind := range []string{"plain", "confit"} {
		name := fmt.Sprintf("%s-%d", kind, n)
		_, err := s.await(name, "runs", func(p pod) bool { return p.container("app").State.Running != nil })
		if err == nil {
			saw[i], err = s.files(name)
		}
		if err != nil {
			return err
		}
	}
	if err := alike(saw[0], saw[1], plain["spec"].(object)["securityContext"].(object)["runAsUser"] == nil); err != nil {
		return err
	}
	return errors.Join(s.remove(fmt.Sprintf("plain-%d", n), 0), s.remove(fmt.Sprintf("confit-%d", n), 0))
}

func (s *injected) startPlain(pod object) error {
	manifest, err := json.Marshal(pod)
	if err == nil {
		_, err = s.create(s.path(pods), typeJSON, manifest)
	}
	return err
}

// startRewritten starts what the plugin makes of a pod, and holds that the policy makes the same of it.
func (s *injected) startRewritten(pod object) error {
	manifest, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	made, err := answer(s.program(nil, s.bin("kubectl"), "confit", "inject", "-f", "-", "--image", s.image), string(manifest))
	if err != nil {
		return err
	}
	pod["metadata"].(object)["labels"] = object{"confit": "inject"}
	labelled, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	byPolicy, err1 := s.create(s.path(pods), typeJSON, labelled, "dryRun=All")
	byPlugin, err2 := s.create(s.path(pods), typeYAML, []byte(made))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if policy, plugin := specOnly(byPolicy), specOnly(byPlugin); !bytes.Equal(policy, plugin) {
		return fmt.Errorf("the policy makes\n%s\nthe plugin\n%s", policy, plugin)
	}
	return nil
}

// specOnly is a pod's spec, its fields in one order.
func specOnly(pod []byte) []byte {
	var p struct{ Spec object }
	err := json.Unmarshal(pod, &p)
	text, err2 := json.MarshalIndent(p.Spec, "", " ")
	if err := errors.Join(err, err2); err != nil {
		return []byte(err.Error())
	}
	return text
}

// startNeither has a pod that the kubelet can't start as it is, and holds that it can't either as it is rewritten.
func (s *injected) startNeither() error {
	const cannot = "CreateContainerConfigError"
	for kind, start := range map[string]func(object) error{"plain": s.startPlain, "confit": s.startRewritten} {
		pod := newPairPod(kind, 0, make(row, len(axes)))
		app := pod["spec"].(object)["containers"].([]object)[0]
		app["securityContext"] = object{"readOnlyRootFilesystem": true}
		app["volumeMounts"] = append(app["volumeMounts"].([]object), object{"name": "own", "mountPath": "/etc/app/own.conf", "subPathExpr": "$(NOBODY).conf"})
		if err := start(pod); err != nil {
			return err
		}
		err := until(s.ctx, "pod "+kind+"-0 can't start", func() error {
			text, err := s.get(s.path(pods, kind+"-0"))
			if err == nil && !strings.Contains(string(text), cannot) {
				err = errors.New(string(text))
			}
			return err
		})
		if err != nil {
			return err
		}
		s.show("%s: %s", kind, cannot)
	}
	return nil
}
