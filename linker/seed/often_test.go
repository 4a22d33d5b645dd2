//go:build check

package seed

import "testing"

func TestSeed_often(t *testing.T) { seedTrees(t, 15) }
