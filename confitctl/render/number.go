package render

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// number is one, as JSON writes it, whose text neither an int nor a float64
// gives back: 1.10, 1e6, or an id of thirty digits. It is never zero, so
// that it is true as a text and as a number.
type number string

// jsonNumber is the grammar of RFC 8259, section 6.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// numeral is the value that prints as the text of a JSON number does: an int where
// that is one, else a float64, else a number.
func numeral(text string) any {
	if i, err := strconv.Atoi(text); err == nil && strconv.Itoa(i) == text {
		return i
	}
	if isZero(text) {
		return 0.0 // also for -0.0, which not everybody writes
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && decimal(f) == text {
		return f
	}
	return number(text)
}

// isZero is no question to a float64, for which 1e-400 is zero, too.
func isZero(text string) bool {
	return !strings.ContainsAny(strings.FieldsFunc(text, func(r rune) bool { return r == 'e' || r == 'E' })[0], "123456789")
}

// decimal is a float64 without an exponent.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Format prints the text, but where a verb asks for a number.
func (n number) Format(s fmt.State, verb rune) {
	var value any = string(n)
	if !strings.ContainsRune("vsq", verb) {
		if i, ok := new(big.Int).SetString(string(n), 10); ok {
			value = i
		} else {
			value, _ = n.big().Float64()
		}
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), value)
}

// MarshalJSON is the text.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// MarshalYAML is the text, too: YAML has JSON's numbers.
func (n number) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(n)}, nil
}

// precision of numbers in bits: enough for three hundred digits.
const precision = 1024

func (n number) big() *big.Float {
	f, _, err := big.ParseFloat(string(n), 10, precision, big.ToNearestEven)
	if err != nil {
		return new(big.Float) // the exponent is too large for any computer
	}
	return f
}

// numeric is a value as a number; false: it is none.
func numeric(v any) (*big.Float, bool) {
	f := new(big.Float).SetPrec(precision)
	if n, ok := v.(number); ok {
		return n.big(), true
	}
	switch r := reflect.ValueOf(v); {
	case !r.IsValid():
		return nil, false
	case r.CanInt():
		return f.SetInt64(r.Int()), true
	case r.CanUint():
		return f.SetUint64(r.Uint()), true
	case r.CanFloat() && !math.IsNaN(r.Float()):
		return f.SetFloat64(r.Float()), true
	}
	return nil, false
}

// errNotNumber quotes nothing: the text may be a secret.
var errNotNumber = errors.New("its text is no number")

// toInteger is a value as an integer. A text has to be one from its first
// character to its last; what has a fraction is cut only if that is asked for.
func toInteger(v any, cut bool) (*big.Int, error) {
	if text, ok := v.(string); ok {
		return integerOf(text)
	}
	f, ok := numeric(v)
	switch {
	case !ok:
		return nil, fmt.Errorf("a value of type %T is no number", v)
	case f.IsInf() || f.MantExp(nil) > precision:
		return nil, errTooLarge
	case !f.IsInt() && !cut:
		return nil, errors.New("a number with a fraction is no integer; round it, or use the function of that name with an f")
	}
	i, _ := f.Int(nil)
	return i, nil
}

var errTooLarge = errors.New("the number doesn't fit into 64 bits")

// integerOf refuses what somebody may take for octal.
func integerOf(text string) (*big.Int, error) {
	i, ok := new(big.Int).SetString(text, 10)
	digits := strings.TrimLeft(text, "+-")
	switch {
	case len(digits) > precision || !ok:
		return nil, errNotNumber
	case len(digits) > 1 && digits[0] == '0':
		return nil, errors.New("its text begins with 0: atoi reads it as decimal, toDecimal as octal")
	}
	return i, nil
}

func toInt64(v any, cut bool) (int64, error) {
	i, err := toInteger(v, cut)
	switch {
	case err != nil:
		return 0, err
	case !i.IsInt64():
		return 0, errTooLarge
	}
	return i.Int64(), nil
}

func toInt(v any) (int, error) {
	i, err := toInt64(v, true)
	if err == nil && int64(int(i)) != i {
		err = errors.New("the number is too large for this machine")
	}
	return int(i), err
}

func toFloat64(v any) (float64, error) {
	if text, ok := v.(string); ok {
		v = number(text)
		if !jsonNumber.MatchString(strings.TrimPrefix(text, "+")) {
			return 0, errNotNumber
		}
	}
	f, ok := numeric(v)
	if !ok {
		return 0, fmt.Errorf("a value of type %T is no number", v)
	}
	n, exactly := f.Float64()
	switch {
	case math.IsInf(n, 0):
		return 0, errors.New("the number is too large for a float64")
	case exactly != big.Exact && !strings.ContainsAny(fmt.Sprint(v), ".eE"):
		return 0, errors.New("a float64 has no place for all digits of this integer")
	}
	return n, nil
}

// atoi doesn't quote the text as strconv does.
func atoi(text string) (int, error) {
	i, err := strconv.Atoi(text)
	if err != nil {
		return 0, errNotNumber
	}
	return i, nil
}

// toDecimal reads octal: the mode of a file, for what wants it in decimal.
func toDecimal(v any) (int64, error) {
	i, err := strconv.ParseInt(fmt.Sprint(v), 8, 64)
	if err != nil {
		return 0, errors.New("its text is no octal number")
	}
	return i, nil
}
