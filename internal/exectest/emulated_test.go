package exectest_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file binds the resources of exec kernels for the executors of TestConformance. Texels are
// converted by package texture; what kernels leave is compared with references that do not use it.

// launch binds a case's contents to a kernel by name.
func launch(c *exectest.Case, k *abi.Kernel, dispatch int, contents [][]byte) *emulate.Launch {
	l := &emulate.Launch{Entry: k.Name, Grid: c.Dispatches[dispatch].Grid, Immediates: c.ImmediatesOf(dispatch)}
	for _, b := range k.Arguments() {
		l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: contents[ondevice.BufferIndex(c, b.Name)]})
	}
	bind := func(at int, data []byte) {
		b := k.Bindings[at]
		l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
	}
	_, fault, scratch, tables := k.Hidden()
	if fault >= 0 {
		bind(fault, make([]byte, abi.FaultRecordBytes))
	}
	if scratch >= 0 {
		bind(scratch, bytes.Repeat([]byte{0xaa}, int(k.Scratch.Bytes(l.Grid, k.Workgroup))))
	}
	if tables >= 0 {
		bind(tables, k.Tables)
	}
	return l
}

// emulatedShapes are the texture shapes that the emulator of SPIR-V implements.
var emulatedShapes = map[texture.Shape]bool{
	texture.Sampled1D: true, texture.Sampled2D: true, texture.Sampled2DArray: true, texture.Sampled3D: true, texture.External: true,
	texture.Storage1D: true, texture.Storage2D: true, texture.Storage2DArray: true, texture.Storage3D: true,
}

// lacksTextures reports whether the emulator of SPIR-V refuses a kernel for what it binds.
func lacksTextures(k *abi.Kernel) bool {
	for _, h := range k.Handles {
		if h.Texture == nil || !emulatedShapes[h.Texture.Shape] || h.Texture.Format == texture.BGRA8Unorm {
			return true
		}
	}
	return false
}

// roundedStores are the kernels that store floats which their format does not have, by case and
// entry point: the emulator of SPIR-V does not say how they are rounded.
var roundedStores = map[[2]string]bool{
	{"texture_blur", "main"}: true, {"texture_sobel", "main"}: true, {"texture_storage_formats", "small"}: true,
}

func runSPIRV(x *execution, contents [][]byte) (left string, err error) {
	expected := x.c.Expected()
	for n, a := range x.artefacts {
		l := launch(x.c, &a.Kernel, n, contents)
		if lacksTextures(&a.Kernel) {
			if err := spirv.Run(a.Code, l); err == nil || !strings.Contains(err.Error(), "not supported: ") {
				return "", fmt.Errorf("expected the textures of %s to be refused, found %v", a.Kernel.Name, err)
			}
			return "textures that it does not implement", nil
		}
		images := bindImages(x.c, &a.Kernel, n, contents, l)
		err := spirv.Run(a.Code, l)
		if roundedStores[[2]string{x.c.Name, x.c.Dispatches[n].Entry}] {
			if err == nil || !strings.Contains(err.Error(), "OpImageWrite") || !strings.Contains(err.Error(), "has no ") {
				return "", fmt.Errorf("%s: expected a float that the format does not have, found %v", a.Kernel.Name, err)
			}
			for _, b := range images { // the other kernels of the case are compared all the same
				copy(contents[b.contents], expected[b.contents])
			}
			continue
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", a.Kernel.Name, err)
		}
		readImages(images, contents, l)
	}
	return "", nil
}

// boundImage is a texture that a kernel sees.
type boundImage struct {
	format   texture.Format
	contents int // the index of its first level in the case's contents
	image    int // of the launch
	writing  bool
}

// bindImages adds the images of a case's contents to a launch.
func bindImages(c *exectest.Case, k *abi.Kernel, dispatch int, contents [][]byte, l *emulate.Launch) (list []boundImage) {
	for _, h := range k.Handles {
		n, view := c.View(&c.Dispatches[dispatch], h.Name)
		d := c.Textures[n].Description
		b := boundImage{format: d.Format, contents: c.Level(n, view.Level), image: len(l.Images), writing: h.Texture.Access != abi.Read}
		image := emulate.Image{Group: h.Group, Binding: h.Binding, Levels: shownLevels(&d, view, &h)}
		width, height, depth := d.LevelSize(view.Level)
		image.Size = [3]uint32{width, height, max(depth, d.Layers)}
		for level := range image.Levels {
			for data := contents[b.contents+int(level)]; len(data) > 0; data = data[d.Format.Bytes():] {
				for _, word := range d.Format.Decode(data) {
					image.Texels = append(image.Texels, uint32(word))
				}
			}
		}
		l.Images = append(l.Images, image)
		list = append(list, b)
	}
	return list
}

// shownLevels is how many levels a variable shows of a texture: of a storage texture one.
func shownLevels(d *texture.Description, view exectest.View, h *abi.Handle) uint32 {
	switch {
	case h.Texture.Shape.IsStorage():
		return 1
	case view.Levels != 0:
		return view.Levels
	}
	return d.Levels - view.Level
}

// readImages writes to the contents what a launch has written to its images.
func readImages(list []boundImage, contents [][]byte, l *emulate.Launch) {
	for _, b := range list {
		if !b.writing {
			continue
		}
		texels := l.Images[b.image].Texels
		for data := contents[b.contents]; len(data) > 0; data = data[b.format.Bytes():] {
			var t texture.Texel
			for k := range t {
				t[k] = uint64(texels[k])
			}
			b.format.Encode(data, t)
			texels = texels[4:]
		}
	}
}

func runPTX(x *execution, contents [][]byte) (left string, err error) {
	for n, a := range x.artefacts {
		var list []ptx.Texture
		for _, h := range a.Kernel.Handles {
			if h.Texture == nil {
				list = append(list, ptx.Texture{Handle: texture.Handle{Sampler: &x.c.Samplers[ondevice.SamplerIndex(x.c, h.Name)].Description}})
				continue
			}
			i, view := x.c.View(&x.c.Dispatches[n], h.Name)
			d := x.c.Textures[i].Description
			format := d.Format
			d.Format = abi.ArrayFormat(format) // as the device holds it
			held := texture.NewImage(&d)
			for level := range d.Levels {
				convertTexels(held.Level(level), d.Format, contents[x.c.Level(i, level)], format)
			}
			list = append(list, ptx.Texture{Handle: texture.Handle{Image: held, Level: view.Level, Levels: view.Levels}, Format: format})
		}
		if ran, err := runTensorVariant(x, n, contents); err != nil {
			return "", err
		} else if ran {
			continue
		}
		module, err := ptx.Parse(a.Code)
		if err == nil {
			err = module.RunWithTextures(&a.Kernel, launch(x.c, &a.Kernel, n, contents), list)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w\n%s", a.Kernel.Name, err, fibers.Numbered(a.Code))
		}
		for k, h := range a.Kernel.Handles {
			if h.Texture != nil && h.Texture.Written() {
				i, view := x.c.View(&x.c.Dispatches[n], h.Name)
				image := list[k].Handle.Image
				convertTexels(contents[x.c.Level(i, view.Level)], list[k].Format, image.Level(view.Level), image.Format)
			}
		}
	}
	return "", nil
}

// runTensorVariant runs the variant with tensor maps of a dispatch. It returns false if there is
// none, or none for the launch.
func runTensorVariant(x *execution, n int, contents [][]byte) (ran bool, err error) {
	t := x.tensors[n]
	if t == nil {
		return false, nil
	}
	if byValue := t.Artefact.Valued(); byValue != nil {
		t = &abi.Tensor{Maps: t.Maps, Artefact: byValue}
	}
	module, err := ptx.Parse(t.Artefact.Code)
	if err == nil {
		ran, err = module.RunTensor(t, launch(x.c, &t.Artefact.Kernel, n, contents))
	}
	if err != nil {
		return ran, fmt.Errorf("%s with tensor maps: %w\n%s", t.Artefact.Kernel.Name, err, fibers.Numbered(t.Artefact.Code))
	}
	if ran {
		x.ranTensor++
	}
	return ran, nil
}

// convertTexels writes texels of one format as those of another.
func convertTexels(to []byte, as texture.Format, from []byte, is texture.Format) {
	for len(to) > 0 {
		as.Encode(to, is.Decode(from))
		to, from = to[as.Bytes():], from[is.Bytes():]
	}
}

// job makes the memory and the launches of an execution, whose programs have these numbers.
func (x *execution) job(b *campaign.Bench, programs []int) *fibers.Job {
	j := &fibers.Job{Data: x.c.Contents()}
	for n := range x.c.Dispatches {
		d, k := &x.c.Dispatches[n], &x.artefacts[n].Kernel
		var bindings []int
		for _, b := range k.Arguments() {
			bindings = append(bindings, ondevice.BufferIndex(x.c, b.Name))
		}
		if k.Fault != nil {
			bindings = append(bindings, len(j.Data))
			j.Data = append(j.Data, make([]byte, abi.FaultRecordBytes))
		}
		l := b.Add(j, programs[n], k, d.Grid, bindings, x.c.ImmediatesOf(n))
		var textures []msl.Texture
		var samplers []msl.Sampler
		for _, h := range k.Handles {
			if h.Texture == nil {
				samplers = append(samplers, describedSampler(&x.c.Samplers[ondevice.SamplerIndex(x.c, h.Name)].Description))
			} else {
				textures = append(textures, x.texture(d, &h))
			}
		}
		if b.Bind != nil {
			b.Bind(l, textures, samplers)
		}
	}
	return j
}

func describedSampler(d *texture.Sampler) msl.Sampler {
	s := msl.Sampler{Magnify: d.Magnify.String(), Minify: d.Minify.String(), Mipmap: d.Mipmap.String(), LowestLevel: d.LowestLevel, HighestLevel: d.HighestLevel}
	for n, mode := range d.Address {
		s.Address[n] = mode.String()
	}
	if d.Compare != texture.NoCompare {
		s.Compare = d.Compare.String()
	}
	return s
}

// texture describes what a variable shows of a texture of the case.
func (x *execution) texture(dispatch *exectest.Dispatch, h *abi.Handle) msl.Texture {
	index, view := x.c.View(dispatch, h.Name)
	d := &x.c.Textures[index].Description
	t := msl.Texture{Format: d.Format.String(), Dimension: uint32(d.Dimension), Layers: d.Layers, Samples: d.Samples}
	t.Width, t.Height, t.Depth = d.LevelSize(view.Level)
	for level := range shownLevels(d, view, h) {
		t.Levels = append(t.Levels, x.c.Level(index, view.Level+level))
	}
	return t
}
