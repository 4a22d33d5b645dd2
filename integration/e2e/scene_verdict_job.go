package main

import (
	"errors"
	"fmt"
	"path/filepath"
)

// operationsPath has a Job that waits for a verdict, from inside the cluster, and its image.
const operationsPath = "docs/operations.md"

// waitingJob runs the Job beside an edit that all pods accept, after the page's rights are there.
func (s *verdicts) waitingJob() error {
	p, err := readPage(filepath.Join(s.Source, operationsPath))
	if err != nil {
		return err
	}
	if err := errors.Join(s.write("web.yaml", configMaps, "web", webPage(secondPage)), s.apply(p.section("Wait for the verdict").first("yaml"))); err != nil {
		return err
	}
	if a, err := s.says("", "kubectl apply -f "+filepath.Join(s.dir, "web.yaml")+" && kubectl wait --for=condition=complete --timeout=4m job/verdict && kubectl logs job/verdict"); err != nil {
		return err
	} else if err := a.is(0, "accepted"); err != nil {
		return fmt.Errorf("the Job: %w", err)
	}
	return s.allServe(secondPage)
}
