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
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Image is what a reference stands for at the moment.
type Image struct {
	Digest          string   // sha256:…, of the index if there is one
	Entrypoint, Cmd []string // as the image has them; the kubelet expands nothing in them
}

// Client asks registries, for one thing at a time.
type Client struct {
	digests map[string]func() (string, error)
	images  map[string]func() (Image, error)
}

// New returns a client that knows nothing yet.
func New() *Client {
	return &Client{digests: map[string]func() (string, error){}, images: map[string]func() (Image, error){}}
}

// Digest says what a reference stands for. It asks nobody if the reference says so itself.
func (c *Client) Digest(ctx context.Context, reference string) (string, error) {
	return once(c.digests, reference, func() (string, error) {
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
	return once(c.images, reference, func() (Image, error) {
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

// once asks, unless that was asked before.
func once[T any](known map[string]func() (T, error), reference string, ask func() (T, error)) (T, error) {
	if known[reference] == nil {
		known[reference] = sync.OnceValues(ask)
	}
	return known[reference]()
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

// runs reads ENTRYPOINT and CMD, and holds that all platforms of Linux run the same: a pod has one command on all nodes.
func runs(got *remote.Descriptor) (entrypoint, cmd []string, err error) {
	images, err := imagesOf(got)
	if err != nil {
		return nil, nil, err
	}
	if len(images) == 0 {
		return nil, nil, errors.New("none of its platforms is linux")
	}
	first := ""
	for _, image := range images {
		file, err := image.ConfigFile()
		switch {
		case err != nil:
			return nil, nil, err
		case file.OS != "" && file.OS != "linux":
			return nil, nil, fmt.Errorf("it is for %s, and confit for linux", file.OS)
		case first == "":
			first, entrypoint, cmd = file.Platform().String(), file.Config.Entrypoint, file.Config.Cmd
		case !slices.Equal(file.Config.Entrypoint, entrypoint) || !slices.Equal(file.Config.Cmd, cmd):
			return nil, nil, fmt.Errorf("its ENTRYPOINT and CMD are %q %q for %s, and %q %q for %s", entrypoint, cmd, first, file.Config.Entrypoint, file.Config.Cmd, file.Platform())
		}
	}
	return entrypoint, cmd, nil
}

// imagesOf is the one image, or those for Linux: attestations have the platform unknown/unknown.
func imagesOf(got *remote.Descriptor) ([]v1.Image, error) {
	if !got.MediaType.IsIndex() {
		image, err := got.Image()
		return []v1.Image{image}, err
	}
	index, err := got.ImageIndex()
	if err != nil {
		return nil, err
	}
	return partial.FindImages(index, func(d v1.Descriptor) bool { return d.Platform != nil && d.Platform.OS == "linux" })
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
