package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Bounds of what a template may make. An object of Kubernetes has a megabyte, so
// what is larger is rather a mistake, and would end the container.
const (
	maxText = 16 << 20 // bytes, also of a file
	maxList = 1 << 20  // numbers
)

// boundedFunctions replaces those of which a short argument makes much.
func boundedFunctions(all map[string]any) {
	all["until"] = func(n int) ([]int, error) { return steps(0, n, toward(n)) }
	all["untilStep"] = steps
	all["seq"] = seq
	all["repeat"] = func(n int, text string) (string, error) {
		if n < 0 {
			return "", errors.New("a text can't be repeated less than 0 times")
		}
		if err := fits(n, len(text)); err != nil {
			return "", err
		}
		return strings.Repeat(text, n), nil
	}
	all["replace"] = func(old, with, text string) (string, error) {
		if err := fits(strings.Count(text, old), len(with)); err != nil {
			return "", err
		}
		return strings.ReplaceAll(text, old, with), nil
	}
	for _, name := range []string{"indent", "nindent"} {
		all[name] = indented(all[name].(func(int, string) string))
	}
}

func indented(indent func(int, string) string) func(int, string) (string, error) {
	return func(n int, text string) (string, error) {
		if n < 0 {
			return "", errors.New("a text can't be indented by less than 0")
		}
		if err := fits(n, 1+strings.Count(text, "\n")); err != nil {
			return "", err
		}
		return indent(n, text), nil
	}
}

func fits(times, size int) error {
	product := new(big.Int).Mul(big.NewInt(int64(times)), big.NewInt(int64(size)))
	if product.Cmp(big.NewInt(maxText)) > 0 {
		return fmt.Errorf("this makes %s bytes; %d are allowed", product, maxText)
	}
	return nil
}

// toward is the step that leads from zero to a number.
func toward(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// steps are the numbers from the first one to before the last; none, if the step
// leads away from it.
func steps(first, last, step int) ([]int, error) {
	way, stride := new(big.Int).Sub(big.NewInt(int64(last)), big.NewInt(int64(first))), big.NewInt(int64(step))
	if way.Sign() == 0 || way.Sign() != stride.Sign() {
		return []int{}, nil
	}
	way.Abs(way).Add(way, new(big.Int).Abs(stride)).Sub(way, big.NewInt(1)).Quo(way, stride.Abs(stride)) // rounded up
	if way.Cmp(big.NewInt(maxList)) > 0 {
		return nil, fmt.Errorf("this makes %s numbers; %d are allowed", way, maxList)
	}
	list := make([]int, way.Int64())
	for i := range list {
		list[i] = first + i*step
	}
	return list, nil
}

// seq is that of Unix: LAST, FIRST LAST, or FIRST STEP LAST.
func seq(params ...int) (string, error) {
	first, step, last := 1, 0, 0
	switch len(params) {
	case 1:
		last = params[0]
	case 2:
		first, last = params[0], params[1]
	case 3:
		first, step, last = params[0], params[1], params[2]
	default:
		return "", errors.New("seq takes one number, two or three")
	}
	if len(params) < 3 {
		step = toward(last - first)
	}
	list, err := steps(first, last+toward(step), step)
	if err != nil {
		return "", err
	}
	return strings.Trim(fmt.Sprint(list), "[]"), nil
}

// output is what a template writes. What is more than maxText is dropped, and
// then an error at the next step, which has a place.
type output struct {
	bytes.Buffer
	e *engine
}

func (o *output) Write(data []byte) (int, error) {
	if o.Len()+len(data) > maxText {
		o.e.full = true
		return len(data), nil
	}
	return o.Buffer.Write(data)
}

// check is an error when nothing may go on.
func (e *engine) check() error {
	if e.full {
		return fmt.Errorf("it makes more than %d bytes", maxText)
	}
	return context.Cause(e.ctx)
}
