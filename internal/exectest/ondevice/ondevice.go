// Package ondevice runs the exec kernels on a device by the runtime: it makes their buffers,
// textures and samplers, binds these by name and reads what dispatches leave. Tests compare that
// with the references, and benches repeat dispatches.
package ondevice

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// ErrSkipped marks a case that a device cannot run for want of a feature.
var ErrSkipped = errors.New("skipped")

// Loader compiles an entry point for a device and loads it.
type Loader interface {
	Load(device *gpu.Device, entry string, settings ...ir.Setting) (*gpu.Kernel, error)
}

// Session is a case on a device, with its resources.
type Session struct {
	Stream   *gpu.Stream
	c        *exectest.Case
	device   *gpu.Device
	initial  [][]byte
	buffers  []*gpu.Buffer[byte]
	textures []*gpu.Texture
	samplers []*gpu.Sampler
	kernels  []*gpu.Kernel // that Run has loaded
}

// Open makes the resources of a case, with their initial contents. The error is an ErrSkipped if
// the device lacks what the case needs.
func Open(c *exectest.Case, device *gpu.Device) (*Session, error) {
	s := &Session{c: c, device: device, initial: c.Contents()}
	if err := s.open(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) open() error {
	c, device := s.c, s.device
	info := device.Info()
	for feature, needed := range map[abi.Feature]bool{abi.Float16: c.NeedsF16, abi.Subgroups: c.NeedsSubgroups} {
		if needed && !slices.Contains(info.Features, feature) {
			return fmt.Errorf("%w: %s lacks %s", ErrSkipped, info.ID(), feature)
		}
	}
	var err error
	if s.Stream, err = device.NewStream(); err != nil {
		return err
	}
	for i := range c.Textures {
		t, err := device.NewTexture(c.Textures[i].Description)
		if c.NeedsMultisampling && errors.Is(err, gpu.ErrUnsupported) {
			return fmt.Errorf("%w: %w", ErrSkipped, err)
		} else if err != nil {
			return fmt.Errorf("texture %s: %w", c.Textures[i].Name, err)
		}
		s.textures = append(s.textures, t)
	}
	for i := range c.Samplers {
		x, err := device.NewSampler(c.Samplers[i].Description)
		if err != nil {
			return fmt.Errorf("sampler %s: %w", c.Samplers[i].Name, err)
		}
		s.samplers = append(s.samplers, x)
	}
	for _, data := range s.initial[:len(c.Buffers)] {
		b, err := gpu.Upload(context.Background(), device, data)
		if err != nil {
			return err
		}
		s.buffers = append(s.buffers, b)
	}
	return s.writeTextures()
}

func (s *Session) writeTextures() error {
	for i, t := range s.textures {
		for level := range s.c.Textures[i].Description.Levels {
			if err := t.Write(level, s.initial[s.c.Level(i, level)]); err != nil {
				return fmt.Errorf("texture %s: %w", s.c.Textures[i].Name, err)
			}
		}
	}
	return nil
}

// Restore gives all resources their initial contents, after the work so far.
func (s *Session) Restore() error {
	for i, b := range s.buffers {
		if err := b.Write(s.Stream, s.initial[i]); err != nil {
			return err
		}
	}
	return s.writeTextures()
}

// Load compiles and loads the kernel of a dispatch.
func (s *Session) Load(l Loader, dispatch int) (*gpu.Kernel, error) {
	d := &s.c.Dispatches[dispatch]
	return l.Load(s.device, d.Entry, Settings(d)...)
}

// Args binds the resources that a dispatch names.
func (s *Session) Args(k *gpu.Kernel, dispatch int) (*gpu.Args, error) {
	d, about := &s.c.Dispatches[dispatch], k.Describe()
	arguments := k.Args()
	for i, b := range about.Arguments() {
		if err := arguments.Set(i, s.buffers[BufferIndex(s.c, b.Name)]); err != nil {
			return nil, err
		}
	}
	if err := arguments.SetImmediates(Immediates(s.c, dispatch, about, s.initial)); err != nil {
		return nil, err
	}
	for at, h := range about.Handles {
		var err error
		if h.Texture == nil {
			err = arguments.SetSampler(at, s.samplers[SamplerIndex(s.c, h.Name)])
		} else {
			i, view := TextureIndex(s.c, d, h.Name)
			err = arguments.SetTextureLevels(at, s.textures[i], view.Level, view.Levels)
		}
		if err != nil {
			return nil, err
		}
	}
	return arguments, nil
}

// Launch queues a dispatch as the case has it.
func (s *Session) Launch(arguments *gpu.Args, dispatch int) error {
	g := s.c.Dispatches[dispatch].Grid
	return s.Stream.Launch(arguments, gpu.Grid{X: g[0], Y: g[1], Z: g[2]})
}

// Run loads the kernels of all dispatches and executes them one after another.
func (s *Session) Run(l Loader) error {
	for n := range s.c.Dispatches {
		k, err := s.Load(l, n)
		if err != nil {
			return err
		}
		s.kernels = append(s.kernels, k)
		arguments, err := s.Args(k, n)
		if err != nil {
			return err
		}
		if err := s.Launch(arguments, n); err != nil {
			return err
		}
	}
	return nil
}

// Contents reads all resources after the work so far.
func (s *Session) Contents() ([][]byte, error) {
	contents := s.c.Contents()
	for i := range s.buffers {
		if err := s.buffers[i].Read(context.Background(), s.Stream, contents[i]); err != nil {
			return nil, err
		}
	}
	for i, t := range s.textures {
		for level := range s.c.Textures[i].Description.Levels {
			if err := s.Stream.ReadTexture(contents[s.c.Level(i, level)], t, level); err != nil {
				return nil, err
			}
		}
	}
	return contents, nil
}

// Close takes the resources away.
func (s *Session) Close() {
	for _, k := range s.kernels {
		k.Close()
	}
	for _, b := range s.buffers {
		b.Close()
	}
	for _, t := range s.textures {
		t.Close()
	}
	for _, x := range s.samplers {
		x.Close()
	}
	if s.Stream != nil {
		s.Stream.Close()
	}
}

// Settings are those of a dispatch's overrides.
func Settings(d *exectest.Dispatch) []ir.Setting {
	var s []ir.Setting
	for _, o := range d.Overrides {
		s = append(s, ir.Setting{Key: o.Name, Value: o.Value})
	}
	return s
}

// Immediates returns the immediates of a dispatch. Kernels written in Go have some where those in
// WGSL have a uniform buffer, whose name they bear.
func Immediates(c *exectest.Case, dispatch int, k *abi.Kernel, contents [][]byte) []byte {
	if c.Immediates == nil && k.Immediates != nil {
		return contents[BufferIndex(c, k.Immediates.Name)][:k.ValueBytes()]
	}
	return c.ImmediatesOf(dispatch)
}

// numbered is what texts put after names that several things have: data.9 in that of IR, data_9 in
// WGSL.
var numbered = regexp.MustCompile(`[._][0-9]+$`)

// BufferIndex returns which buffer has a name, with or without such a number.
func BufferIndex(c *exectest.Case, name string) int {
	is := func(name string) int {
		return slices.IndexFunc(c.Buffers, func(b exectest.Buffer) bool { return b.Name == name })
	}
	i := is(name)
	if i < 0 {
		i = is(numbered.ReplaceAllString(name, ""))
	}
	if i < 0 {
		panic("case " + c.Name + " has no buffer " + name)
	}
	return i
}

// TextureIndex returns which texture a variable shows in a dispatch, and what of it.
func TextureIndex(c *exectest.Case, d *exectest.Dispatch, name string) (int, exectest.View) {
	i, view := c.View(d, name)
	if i < 0 {
		panic("case " + c.Name + " has no texture for " + name)
	}
	return i, view
}

// SamplerIndex returns which sampler has a name.
func SamplerIndex(c *exectest.Case, name string) int {
	i := slices.IndexFunc(c.Samplers, func(s exectest.Sampler) bool { return s.Name == name })
	if i < 0 {
		panic("case " + c.Name + " has no sampler " + name)
	}
	return i
}
