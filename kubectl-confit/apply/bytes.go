package apply

import (
	"confit/kubectl-confit/check"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// made is what was made of an object that the server has sent, so it can be read.
func made[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}

// givenOf are the bytes that the server will have.
func givenOf(objects []*Object) check.Given {
	given := check.Given{}
	for _, o := range objects {
		given[o.Object] = made(pods.Bytes(o.Merged))
	}
	return given
}

// pinned are the objects as they were applied.
func pinned(objects []*Object) verdict.Objects {
	all := verdict.Objects{}
	for _, o := range objects {
		all[o.Object] = made(pods.DataOf(o.After))
	}
	return all
}

// restored are those that were put back. One that was deleted has nothing to be accepted.
func restored(objects []*Object) verdict.Objects {
	all := verdict.Objects{}
	for _, o := range objects {
		if o.Back != nil {
			all[o.Object] = made(pods.DataOf(o.Back))
		}
	}
	return all
}
