// Arguments by the names in the source.

package gpu

import (
	"fmt"
	"strings"
)

// Resource is an argument of a kernel: a Buffer of any element type, a Texture or a Sampler.
type Resource interface {
	// valid reports whether there is one: no nil pointer and no zero value.
	valid() bool
}

// Bind sets the argument for the kernel's variable of this name: a buffer as Set does, a texture
// with all levels as SetTexture does, or a sampler. It is ErrShape if the kernel uses no variable
// of that name; the error lists those that it uses.
func (a *Args) Bind(name string, resource Resource) error {
	if !a.valid() {
		return invalid("arguments", argsMaker)
	}
	k := a.kernel
	binding, handle := k.Index(name), k.HandleIndex(name)
	if binding < 0 && handle < 0 {
		return fmt.Errorf("kernel %s: %w: it uses no variable %q; %s", k.description.Name, ErrShape, name, k.variables())
	}
	switch r := resource.(type) {
	case Bound:
		if binding >= 0 {
			return a.Set(binding, r)
		}
	case *Texture:
		if handle >= 0 {
			return a.SetTexture(handle, r, 0)
		}
	case *Sampler:
		if handle >= 0 {
			return a.SetSampler(handle, r)
		}
	case nil:
		return fmt.Errorf("kernel %s: %s: %w: it is given nil; pass a buffer, a texture or a sampler", k.description.Name, name, ErrShape)
	}
	want := "buffer"
	if handle >= 0 {
		want = k.description.Handles[handle].Type
	}
	return fmt.Errorf("kernel %s: %s: %w: it is a %s, and is given a %s", k.description.Name, name, ErrShape, want, kindOf(resource))
}

// kindOf is what a resource is called in messages.
func kindOf(r Resource) string {
	switch r.(type) {
	case *Texture:
		return "texture"
	case *Sampler:
		return "sampler"
	}
	return "buffer"
}

// variables lists the names that Bind takes.
func (k *Kernel) variables() string {
	var names []string
	for i := range k.arguments {
		names = append(names, k.arguments[i].Name)
	}
	for i := range k.description.Handles {
		names = append(names, k.description.Handles[i].Name)
	}
	switch n := len(names); n {
	case 0:
		return "it uses none"
	case 1:
		return "it uses " + names[0]
	default:
		return "it uses " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
