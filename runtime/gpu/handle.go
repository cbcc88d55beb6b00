// The textures and samplers among a kernel's arguments.

package gpu

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// HandleIndex returns the index for Args.SetTexture and Args.SetSampler of the texture or sampler
// with this name in the source, or -1.
func (k *Kernel) HandleIndex(name string) int {
	if !k.valid() {
		return -1
	}
	for i := range k.description.Handles {
		if k.description.Handles[i].Name == name {
			return i
		}
	}
	return -1
}

// handle is a texture or sampler that is set.
type handle struct {
	texture *Texture
	sampler *Sampler
}

// lifetime is that of the texture or sampler.
func (h *handle) lifetime() *lifetime {
	if h.texture != nil {
		return h.texture.lifetime
	}
	return h.sampler.lifetime
}

// SetTexture sets the texture of handle i, an index in abi.Kernel.Handles: its levels from level on
// or, for a storage texture, that level alone. It is ErrShape if the texture's dimensions, layers,
// samples or format do not fit the variable's type, or if it has no such level.
//
// A texture may be bound several times. If a variable is written, its level must not be visible
// through another: Launch returns ErrAlias then.
func (a *Args) SetTexture(i int, t *Texture, level uint32) error {
	return a.SetTextureLevels(i, t, level, 0)
}

// SetTextureLevels is SetTexture with count levels from first on, or all if count is 0. A kernel
// that computes a level from the one before reads the one and writes the other. A storage texture
// has one level.
func (a *Args) SetTextureLevels(i int, t *Texture, first, count uint32) error {
	expected, err := a.expected(i)
	if err != nil {
		return err
	}
	if !t.valid() {
		return fmt.Errorf("kernel %s: handle %d (%s): %w", a.kernel.description.Name, i, expected.Name, invalid("texture", textureMaker))
	}
	bound := driver.Handle{Texture: t.texture, Level: first, Levels: count}
	if err := a.kernel.fitsTexture(expected, t, &bound); err != nil {
		return fmt.Errorf("kernel %s: handle %d (%s): %w", a.kernel.description.Name, i, expected.Name, err)
	}
	bound.Level, bound.Levels = bound.Span(expected.Texture)
	a.setHandle(i, handle{texture: t}, bound)
	return nil
}

// SetSampler sets the sampler of handle i, an index in abi.Kernel.Handles. A sampler_comparison
// takes one whose description compares, a sampler one that does not; otherwise it is ErrShape.
func (a *Args) SetSampler(i int, s *Sampler) error {
	expected, err := a.expected(i)
	if err != nil {
		return err
	}
	if !s.valid() {
		return fmt.Errorf("kernel %s: handle %d (%s): %w", a.kernel.description.Name, i, expected.Name, invalid("sampler", samplerMaker))
	}
	if err := a.kernel.fitsSampler(expected, s); err != nil {
		return fmt.Errorf("kernel %s: handle %d (%s): %w", a.kernel.description.Name, i, expected.Name, err)
	}
	a.setHandle(i, handle{sampler: s}, driver.Handle{Sampler: s.sampler})
	return nil
}

// expected returns the variable of a handle.
func (a *Args) expected(i int) (*abi.Handle, error) {
	if !a.valid() {
		return nil, invalid("arguments", argsMaker)
	}
	d := &a.kernel.description
	if i < 0 || i >= len(d.Handles) {
		return nil, fmt.Errorf("kernel %s: %w: handle %d of %d", d.Name, ErrShape, i, len(d.Handles))
	}
	return &d.Handles[i], nil
}

func (a *Args) setHandle(i int, h handle, bound driver.Handle) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.handles[i], a.bound[i] = h, bound
	a.checked = false
}

// fitsTexture compares a texture with the variable that it is for.
func (k *Kernel) fitsTexture(expected *abi.Handle, t *Texture, bound *driver.Handle) error {
	if expected.Texture == nil {
		return fmt.Errorf("%w: a texture for a %s", ErrShape, expected.Type)
	}
	switch {
	case t.device != k.device:
		return fmt.Errorf("%w: the texture belongs to another device", ErrShape)
	case t.lifetime.closed.Load():
		return fmt.Errorf("texture: %w", ErrClosed)
	}
	if err := expected.Texture.Accepts(&t.description); err != nil {
		return fmt.Errorf("%w: %w", ErrShape, err)
	}
	levels, count := t.description.Levels, max(bound.Levels, 1)
	switch {
	case bound.Level >= levels || count > levels-bound.Level:
		return fmt.Errorf("%w: levels %d to %d of a texture of %d levels", ErrShape,
			bound.Level, uint64(bound.Level)+uint64(count)-1, levels)
	case count > 1 && expected.Texture.Shape.IsStorage():
		return fmt.Errorf("%w: %d levels, and a storage texture shows one", ErrShape, count)
	}
	return nil
}

// fitsSampler compares a sampler with the variable that it is for.
func (k *Kernel) fitsSampler(expected *abi.Handle, s *Sampler) error {
	switch {
	case expected.Texture != nil:
		return fmt.Errorf("%w: a sampler for a %s", ErrShape, expected.Type)
	case s.device != k.device:
		return fmt.Errorf("%w: the sampler belongs to another device", ErrShape)
	case s.lifetime.closed.Load():
		return fmt.Errorf("sampler: %w", ErrClosed)
	case expected.Comparison && !s.compares:
		return fmt.Errorf("%w: a sampler that does not compare for a %s", ErrShape, expected.Type)
	case !expected.Comparison && s.compares:
		return fmt.Errorf("%w: a comparison sampler for a %s", ErrShape, expected.Type)
	}
	return nil
}

// checkHandles finds missing handles, and texture levels that are bound twice and written.
func (a *Args) checkHandles() error {
	handles := a.kernel.description.Handles
	for i := range a.handles {
		if a.handles[i] == (handle{}) {
			return fmt.Errorf("%w: handle %d (%s) is not set", ErrShape, i, handles[i].Name)
		}
		t := a.handles[i].texture
		if t == nil {
			continue
		}
		for j := range i {
			written := handles[i].Texture.Written() || handles[j].Texture != nil && handles[j].Texture.Written()
			if written && a.handles[j].texture == t && shareLevel(&a.bound[i], &a.bound[j]) {
				return fmt.Errorf("%w: handles %d (%s) and %d (%s) show the same level of a texture", ErrAlias,
					j, handles[j].Name, i, handles[i].Name)
			}
		}
	}
	return nil
}

// shareLevel reports whether two views of a texture have a common level.
func shareLevel(a, b *driver.Handle) bool {
	return a.Level < b.Level+b.Levels && b.Level < a.Level+a.Levels
}

// useHandles begins the use of all handles by a launch and returns how many it
// began; doneHandles ends it.
func (a *Args) useHandles() (int, error) {
	for i := range a.handles {
		if !a.handles[i].lifetime().use() {
			what := "texture"
			if a.handles[i].sampler != nil {
				what = "sampler"
			}
			return i, fmt.Errorf("handle %d (%s): %s: %w", i, a.kernel.description.Handles[i].Name, what, ErrClosed)
		}
	}
	return len(a.handles), nil
}

func (a *Args) doneHandles(n int) (err error) {
	for i := range a.handles[:n] {
		if failure := a.handles[i].lifetime().done(); err == nil {
			err = failure
		}
	}
	return err
}
