package gpu

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// textured is a kernel with two sampled textures, one that it writes, and both
// kinds of sampler.
func textured() *abi.Artefact {
	sampled := func(channel string) *abi.Texture {
		return &abi.Texture{Shape: texture.Sampled2D, Channel: channel, Access: abi.Read}
	}
	return &abi.Artefact{Target: "fake", Kernel: abi.Kernel{
		Name: "k", Workgroup: [3]uint32{8, 8, 1},
		Handles: []abi.Handle{
			{Name: "from", Type: "texture_2d<f32>", Texture: sampled("f32")},
			{Name: "also", Type: "texture_2d<f32>", Texture: sampled("f32")},
			{Name: "to", Type: "texture_storage_2d<rgba8unorm, write>",
				Texture: &abi.Texture{Shape: texture.Storage2D, Channel: "f32", Format: texture.RGBA8Unorm, Access: abi.Write}},
			{Name: "smooth", Type: "sampler"},
			{Name: "shadow", Type: "sampler_comparison", Comparison: true},
		},
	}}
}

// plane describes a texture of 8 x 4 texels with three levels.
func plane(f texture.Format) TextureDescription {
	return TextureDescription{Dimension: texture.D2, Format: f, Width: 8, Height: 4, Depth: 1, Layers: 1, Levels: 3, Samples: 1}
}

func TestTextureCopies(t *testing.T) {
	d, _ := newFake(t)
	description := plane(texture.RGBA8Unorm)
	m := must(d.NewTexture(description))
	defer m.Close()
	if m.Description() != description {
		t.Errorf("described as %+v", m.Description())
	}
	data := bytes.Repeat([]byte{1, 2, 3, 4}, 8)
	check(t, m.Write(1, data[:4*2*4]))
	if got := must(m.Read(1)); !bytes.Equal(got, data) {
		t.Errorf("got %v", got)
	}
	s := must(d.NewStream())
	defer s.Close()
	check(t, s.WriteTexture(m, 2, []byte{5, 6, 7, 8, 9, 10, 11, 12}))
	got := make([]byte, 8)
	check(t, s.ReadTexture(got, m, 2))
	if !bytes.Equal(got, []byte{5, 6, 7, 8, 9, 10, 11, 12}) {
		t.Errorf("got %v", got)
	}
	_, noLevel := m.Read(3)
	for what, err := range map[string]error{
		"level 3 written":  m.Write(3, data),
		"level 3 read":     noLevel,
		"too few bytes":    m.Write(0, data),
		"too many bytes":   s.WriteTexture(m, 2, data),
		"too little room":  s.ReadTexture(got[:4], m, 2),
		"a level too high": s.ReadTexture(got, m, 9),
	} {
		if !errors.Is(err, ErrShape) {
			t.Errorf("%s: got %v, want ErrShape", what, err)
		}
	}
	check(t, m.Close())
	check(t, m.Close())
	_, gone := m.Read(0)
	for what, err := range map[string]error{
		"write":        m.Write(1, data),
		"read":         gone,
		"stream write": s.WriteTexture(m, 2, got),
		"stream read":  s.ReadTexture(got, m, 2),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close: got %v, want ErrClosed", what, err)
		}
	}
	other, _ := newFake(t)
	foreign := must(other.NewTexture(description))
	defer foreign.Close()
	if err := s.WriteTexture(foreign, 2, got); !errors.Is(err, ErrShape) {
		t.Errorf("another device's texture: got %v, want ErrShape", err)
	}
}

func TestTextureDescriptions(t *testing.T) {
	d, _ := newFake(t)
	for name, change := range map[string]func(*TextureDescription){
		"no format":     func(t *TextureDescription) { t.Format = texture.NoFormat },
		"no width":      func(t *TextureDescription) { t.Width = 0 },
		"levels":        func(t *TextureDescription) { t.Levels = 5 },
		"three samples": func(t *TextureDescription) { t.Samples = 3 },
	} {
		description := plane(texture.RGBA8Unorm)
		change(&description)
		if _, err := d.NewTexture(description); !errors.Is(err, ErrShape) {
			t.Errorf("%s: got %v, want ErrShape", name, err)
		}
	}
	for name, s := range map[string]SamplerDescription{
		"an address mode":           {Address: [3]texture.AddressMode{0, texture.AddressModes}},
		"a filter":                  {Mipmap: texture.Filters},
		"a comparison":              {Compare: texture.Compares},
		"levels backwards":          {LowestLevel: 2, HighestLevel: 1},
		"a level below 0":           {LowestLevel: -1},
		"a level that is no number": {HighestLevel: float32(math.NaN())},
	} {
		if _, err := d.NewSampler(s); !errors.Is(err, ErrShape) {
			t.Errorf("%s: got %v, want ErrShape", name, err)
		}
	}
	must(d.NewSampler(texture.Smooth)).Close()
}

func TestSetHandles(t *testing.T) {
	d, fake := newFake(t)
	other, _ := newFake(t)
	k := must(d.Load(textured()))
	defer k.Close()
	s := must(d.NewStream())
	defer s.Close()
	colour, colour2 := must(d.NewTexture(plane(texture.RGBA8Unorm))), must(d.NewTexture(plane(texture.RGBA8Unorm)))
	depth, numbers := must(d.NewTexture(plane(texture.Depth32Float))), must(d.NewTexture(plane(texture.R32Uint)))
	array := plane(texture.RGBA8Unorm)
	array.Layers = 2
	layers := must(d.NewTexture(array))
	foreign := must(other.NewTexture(plane(texture.RGBA8Unorm)))
	smooth := must(d.NewSampler(texture.Smooth))
	shadow := must(d.NewSampler(SamplerDescription{Compare: texture.Less}))
	closed := must(d.NewTexture(plane(texture.RGBA8Unorm)))
	closed.Close()
	closedSampler := must(d.NewSampler(texture.Smooth))
	closedSampler.Close()

	from, also, to := k.HandleIndex("from"), k.HandleIndex("also"), k.HandleIndex("to")
	plain, comparing := k.HandleIndex("smooth"), k.HandleIndex("shadow")
	if from != 0 || comparing != 4 || k.HandleIndex("none") != -1 {
		t.Errorf("positions %d, %d and %d", from, comparing, k.HandleIndex("none"))
	}
	args := k.Args()
	for _, c := range []struct {
		what string
		err  error
		want error
	}{
		{"no such handle", args.SetTexture(5, colour, 0), ErrShape},
		{"a texture for a sampler", args.SetTexture(plain, colour, 0), ErrShape},
		{"a sampler for a texture", args.SetSampler(from, smooth), ErrShape},
		{"u32 for f32", args.SetTexture(from, numbers, 0), ErrShape},
		{"layers", args.SetTexture(from, layers, 0), ErrShape},
		{"another format", args.SetTexture(to, depth, 0), ErrShape},
		{"a level too high", args.SetTexture(from, colour, 3), ErrShape},
		{"too many levels", args.SetTextureLevels(from, colour, 1, 3), ErrShape},
		{"levels to store to", args.SetTextureLevels(to, colour, 0, 2), ErrShape},
		{"a sum beyond 32 bits", args.SetTextureLevels(from, colour, 2, math.MaxUint32), ErrShape},
		{"a foreign texture", args.SetTexture(from, foreign, 0), ErrShape},
		{"a closed texture", args.SetTexture(from, closed, 0), ErrClosed},
		{"a closed sampler", args.SetSampler(plain, closedSampler), ErrClosed},
		{"a sampler that compares", args.SetSampler(plain, shadow), ErrShape},
		{"a sampler that does not", args.SetSampler(comparing, smooth), ErrShape},
		{"depth as a number", args.SetTexture(from, depth, 0), nil},
		{"nothing set", s.Launch(k.Args(), D1(1)), ErrShape},
	} {
		if !errors.Is(c.err, c.want) || (c.err == nil) != (c.want == nil) {
			t.Errorf("%s: got %v, want %v", c.what, c.err, c.want)
		}
	}

	check(t, args.SetSampler(plain, smooth))
	check(t, args.SetSampler(comparing, shadow))
	for _, c := range []struct {
		what               string
		from, also, to     *Texture
		fromFirst, fromAll uint32
		alsoFirst, alsoAll uint32
		toLevel            uint32
		want               error
	}{
		{what: "three textures", from: colour, also: depth, to: colour2},
		{what: "read twice", from: colour, also: colour, to: colour2},
		{what: "read and written", from: colour, also: depth, to: colour, toLevel: 2, want: ErrAlias},
		{what: "the levels before it", from: colour, also: depth, to: colour, fromAll: 2, toLevel: 2},
		{what: "the levels after it", from: colour, also: depth, to: colour, fromFirst: 1},
		{what: "the other variable", from: depth, also: colour, to: colour, alsoFirst: 1, alsoAll: 1, toLevel: 1, want: ErrAlias},
		{what: "a level made of the one before", from: colour, also: colour, to: colour, fromAll: 1, alsoFirst: 2, alsoAll: 1, toLevel: 1},
	} {
		check(t, args.SetTextureLevels(from, c.from, c.fromFirst, c.fromAll))
		check(t, args.SetTextureLevels(also, c.also, c.alsoFirst, c.alsoAll))
		check(t, args.SetTexture(to, c.to, c.toLevel))
		fake.launches = nil
		err := s.Launch(args, D1(1))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: got %v, want %v", c.what, err, c.want)
		}
		if err != nil {
			continue
		}
		l := fake.launches[0].Handles
		if l[0].Texture != c.from.texture || l[2].Texture != c.to.texture || l[3].Sampler != smooth.sampler ||
			l[0].Level != c.fromFirst || l[2].Level != c.toLevel || l[2].Levels != 1 ||
			c.fromAll != 0 && l[0].Levels != c.fromAll || c.fromAll == 0 && l[0].Levels != 3-c.fromFirst {
			t.Errorf("%s: launched with %+v", c.what, l)
		}
	}
	smooth.Close()
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("a sampler closed since: got %v, want ErrClosed", err)
	}
	colour.Close()
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("a texture closed since: got %v, want ErrClosed", err)
	}
}

// TestTexturesAreCollected makes textures that nothing closes on a device that has
// room for few.
func TestTexturesAreCollected(t *testing.T) {
	d, fake := newFake(t)
	fake.room = 4
	for range 20 {
		must(d.NewTexture(plane(texture.RGBA8Unorm)))
		collect(t, "room for another texture", func() bool { return fake.count() < fake.room })
	}
}

// TestTextureClosedDuringLaunch closes a texture and a sampler while a launch uses them:
// the launch's end frees them, and not twice.
func TestTextureClosedDuringLaunch(t *testing.T) {
	d, fake := newFake(t)
	a := textured()
	a.Kernel.Handles = append(a.Kernel.Handles[:1:1], a.Kernel.Handles[3])
	k := must(d.Load(a))
	defer k.Close()
	s := must(d.NewStream())
	defer s.Close()
	m, smooth := must(d.NewTexture(plane(texture.RGBA8Unorm))), must(d.NewSampler(texture.Smooth))
	args := k.Args()
	check(t, args.SetTexture(0, m, 0))
	check(t, args.SetSampler(1, smooth))
	fake.onLaunch = func() {
		check(t, m.Close())
		check(t, smooth.Close())
		if n := fake.count(); n != 2 {
			t.Errorf("%d objects live during the launch, want 2", n)
		}
	}
	check(t, s.Launch(args, D1(1)))
	if n := fake.count(); n != 0 {
		t.Errorf("%d objects live after the launch", n)
	}
}
