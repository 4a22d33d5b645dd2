package render

import "reflect"

var (
	anything = reflect.TypeFor[any]()
	failure  = reflect.TypeFor[error]()
)

// converting is a function with the same arguments, of which those that may be
// anything are converted before: whoever wrote it takes what it doesn't
// understand for nothing. Its result is followed by an error.
func converting(f any, convert func(any) (any, error)) any {
	call, of := reflect.ValueOf(f), reflect.TypeOf(f)
	var in []reflect.Type
	for t := range of.Ins() {
		in = append(in, t)
	}
	strict := reflect.FuncOf(in, []reflect.Type{of.Out(0), failure}, of.IsVariadic())
	return reflect.MakeFunc(strict, func(args []reflect.Value) []reflect.Value {
		for i, arg := range args {
			converted, err := convertArgument(arg, of.IsVariadic() && i == len(args)-1, convert)
			if err != nil {
				return []reflect.Value{reflect.Zero(of.Out(0)), reflect.ValueOf(&err).Elem()}
			}
			args[i] = converted
		}
		out := call.Call
		if of.IsVariadic() {
			out = call.CallSlice
		}
		return append(out(args), reflect.Zero(failure))
	}).Interface()
}

// convertArgument converts an argument, or the list that the last one is.
func convertArgument(arg reflect.Value, isList bool, convert func(any) (any, error)) (reflect.Value, error) {
	switch {
	case isList && arg.Type().Elem() == anything:
		list := make([]any, arg.Len())
		for i := range list {
			var err error
			if list[i], err = convert(arg.Index(i).Interface()); err != nil {
				return arg, err
			}
		}
		return reflect.ValueOf(list), nil
	case arg.Type() == anything:
		v, err := convert(arg.Interface())
		return reflect.ValueOf(&v).Elem(), err
	}
	return arg, nil
}
