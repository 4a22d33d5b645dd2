// Package registry asks image registries what an image runs when nobody says otherwise.
//
// It guarantees that what it answers is true of every platform of Linux that the image has, and that each reference is
// asked for once, however often it is looked up. Private registries are asked with what docker login left.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Image is what a reference stands for at the moment.
type Image struct {
	Digest          string   // sha256:…, of the index if there is one
	Entrypoint, Cmd []string // as the image has them; the kubelet expands nothing in them
}

// Client asks registries.
type Client struct {
	mu      sync.Mutex
	digests map[string]answer[string]
	images  map[string]answer[Image]
}

type answer[T any] struct {
	value T
	err   error
}

// New returns a client that knows nothing yet.
func New() *Client {
	return &Client{digests: map[string]answer[string]{}, images: map[string]answer[Image]{}}
}

// Digest says what a reference stands for. It asks nobody if the reference says so itself.
func (c *Client) Digest(ctx context.Context, reference string) (string, error) {
	return once(c, c.digests, reference, func() (string, error) {
		ref, err := parse(reference)
		if digest, ok := ref.(name.Digest); ok || err != nil {
			return digest.DigestStr(), err
		}
		head, err := remote.Head(ref, options(ctx)...)
		if err == nil {
			return head.Digest.String(), nil
		}
		got, err := remote.Get(ref, options(ctx)...) // some registries have no HEAD, and none says why it refuses one
		if err != nil {
			return "", problem(ref, err)
		}
		return got.Digest.String(), nil
	})
}

// Image says what a reference stands for and what that runs.
func (c *Client) Image(ctx context.Context, reference string) (Image, error) {
	return once(c, c.images, reference, func() (Image, error) {
		ref, err := parse(reference)
		if err != nil {
			return Image{}, err
		}
		got, err := remote.Get(ref, options(ctx)...)
		if err != nil {
			return Image{}, problem(ref, err)
		}
		image := Image{Digest: got.Digest.String()}
		image.Entrypoint, image.Cmd, err = runs(got)
		if err != nil {
			return Image{}, problem(ref, err)
		}
		return image, nil
	})
}

func once[T any](c *Client, known map[string]answer[T], reference string, ask func() (T, error)) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := known[reference]
	if !ok {
		a.value, a.err = ask()
		known[reference] = a
	}
	return a.value, a.err
}

func options(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}

// Check says what is wrong with a reference, and asks nobody.
func Check(reference string) error {
	_, err := parse(reference)
	return err
}

func parse(reference string) (name.Reference, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return nil, fmt.Errorf("cannot read the image %q: %w", reference, err)
	}
	return ref, nil
}

// runs reads ENTRYPOINT and CMD.
func runs(got *remote.Descriptor) (entrypoint, cmd []string, err error) {
	if !got.MediaType.IsIndex() {
		image, err := got.Image()
		if err != nil {
			return nil, nil, err
		}
		return ofImage(image)
	}
	index, err := got.ImageIndex()
	if err != nil {
		return nil, nil, err
	}
	return ofIndex(index)
}

func ofImage(image v1.Image) (entrypoint, cmd []string, err error) {
	file, err := image.ConfigFile()
	if err != nil {
		return nil, nil, err
	}
	if file.OS != "" && file.OS != "linux" {
		return nil, nil, fmt.Errorf("it is for %s, and confit for linux", file.OS)
	}
	return file.Config.Entrypoint, file.Config.Cmd, nil
}

// ofIndex holds that all platforms of Linux run the same: a pod has one command on all nodes.
func ofIndex(index v1.ImageIndex) (entrypoint, cmd []string, err error) {
	all, err := index.IndexManifest()
	if err != nil {
		return nil, nil, err
	}
	first := ""
	for _, m := range all.Manifests {
		if m.Platform == nil || m.Platform.OS != "linux" {
			continue // attestations have the platform unknown/unknown
		}
		image, err := index.Image(m.Digest)
		if err != nil {
			return nil, nil, err
		}
		e, c, err := ofImage(image)
		switch {
		case err != nil:
			return nil, nil, err
		case first == "":
			first, entrypoint, cmd = m.Platform.String(), e, c
		case !slices.Equal(e, entrypoint) || !slices.Equal(c, cmd):
			return nil, nil, fmt.Errorf("its ENTRYPOINT and CMD are %q %q for %s, and %q %q for %s", entrypoint, cmd, first, e, c, m.Platform)
		}
	}
	if first == "" {
		return nil, nil, errors.New("none of its platforms is linux")
	}
	return entrypoint, cmd, nil
}

// problem says what is wrong, and what to do if that isn't plain.
func problem(ref name.Reference, err error) error {
	hint := ""
	var refused *transport.Error
	if errors.As(err, &refused) {
		switch refused.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			hint = "; docker login " + ref.Context().RegistryStr() + " may help, or the image isn't there"
		case http.StatusNotFound:
			return fmt.Errorf("cannot read the image %s: %s has no such image", ref, ref.Context().RegistryStr())
		}
	}
	return fmt.Errorf("cannot read the image %s: %w%s", ref, err, hint)
}
