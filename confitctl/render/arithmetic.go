package render

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"reflect"
)

// strictNumbers replaces sprig's functions for numbers: what is none is an
// error instead of 0, and so is what doesn't fit.
func strictNumbers(all map[string]any) {
	all["atoi"], all["toDecimal"], all["int"], all["float64"] = atoi, toDecimal, toInt, toFloat64
	all["int64"] = func(v any) (int64, error) { return toInt64(v, true) }
	all["add1"] = func(v any) (int64, error) { return fold((*big.Int).Add, v, 1) }
	all["add"] = func(v ...any) (int64, error) { return fold((*big.Int).Add, 0, v...) }
	all["sub"] = func(a, b any) (int64, error) { return fold((*big.Int).Sub, a, b) }
	all["mul"] = func(a any, v ...any) (int64, error) { return fold((*big.Int).Mul, a, v...) }
	all["div"] = func(a, b any) (int64, error) { return fold(divided((*big.Int).Quo), a, b) }
	all["mod"] = func(a, b any) (int64, error) { return fold(divided((*big.Int).Rem), a, b) }
	all["max"] = func(a any, v ...any) (int64, error) { return fold(chosen(1), a, v...) }
	all["min"] = func(a any, v ...any) (int64, error) { return fold(chosen(-1), a, v...) }
	all["biggest"] = all["max"]
	for _, name := range []string{"add1f", "addf", "subf", "divf", "mulf", "maxf", "minf", "ceil", "floor", "round"} {
		all[name] = converting(all[name], func(v any) (any, error) { return toFloat64(v) })
	}
	all["duration"] = converting(all["duration"], func(v any) (any, error) { return toInt64(v, false) })
	for name, holds := range map[string]func(int) bool{
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
		"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	} {
		all[name] = func(a, b any) (bool, error) {
			c, err := compare(a, b)
			return err == nil && holds(c), err
		}
	}
	all["eq"] = equalsAny
	all["ne"] = func(a, b any) (bool, error) {
		same, err := equalsAny(a, b)
		return err == nil && !same, err
	}
}

// operation is one of package big: its result is its receiver, too.
type operation func(z, x, y *big.Int) *big.Int

// errZero is what panics in package big.
var errZero = errors.New("division by zero")

func divided(by operation) operation {
	return func(z, x, y *big.Int) *big.Int {
		if y.Sign() == 0 {
			return nil
		}
		return by(z, x, y)
	}
}

// chosen is the one of two that compares so with the other.
func chosen(sign int) operation {
	return func(_, x, y *big.Int) *big.Int {
		if x.Cmp(y) == sign {
			return x
		}
		return y
	}
}

func fold(op operation, first any, others ...any) (int64, error) {
	result, err := toInteger(first, false)
	if err != nil {
		return 0, err
	}
	for _, other := range others {
		next, err := toInteger(other, false)
		if err != nil {
			return 0, err
		}
		if result = op(new(big.Int), result, next); result == nil {
			return 0, errZero
		}
		if !result.IsInt64() {
			return 0, errTooLarge
		}
	}
	if !result.IsInt64() {
		return 0, errTooLarge
	}
	return result.Int64(), nil
}

// compare is that of text/template, for which a number has one type only.
func compare(a, b any) (int, error) {
	x, isNumber := numeric(a)
	if y, both := numeric(b); isNumber && both {
		return x.Cmp(y), nil
	}
	s, isText := a.(string)
	if t, both := b.(string); isText && both {
		return cmp.Compare(s, t), nil
	}
	return 0, fmt.Errorf("cannot compare a value of type %T with one of type %T", a, b)
}

// equalsAny reports that the first value is one of the others.
func equalsAny(a any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("there is nothing to compare it with")
	}
	for _, b := range others {
		if same, err := equal(a, b); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

func equal(a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == b, nil
	}
	if c, err := compare(a, b); err == nil {
		return c == 0, nil
	}
	if t := reflect.TypeOf(a); t != reflect.TypeOf(b) || !t.Comparable() {
		return false, fmt.Errorf("cannot compare a value of type %T with one of type %T", a, b)
	}
	return a == b, nil
}
