// The parameters of PTX and AMD kernels: which there can be, in which order, and how a
// description says which a kernel has.

package abi

import (
	"fmt"
	"slices"
)

// ParameterKind says what a parameter of a PTX or AMD kernel holds; the types are PTX's. AMD's have
// as many bytes, each at a multiple of its size, the immediates at one of 16.
type ParameterKind string

// The kinds of parameters.
const (
	AddressParameter ParameterKind = "address" // .u64, a binding's device address
	// .u32, a binding's size in bytes, at most 2^32-1
	BytesParameter      ParameterKind = "bytes"
	LengthParameter     ParameterKind = "length"     // .u32, Binding.Length
	ImmediatesParameter ParameterKind = "immediates" // .b8[], the immediates
	// ValueParameter is .b8[] at a multiple of 16, the first Binding.Size bytes that a uniform
	// buffer holds when the kernel begins: whoever launches has to know them. Only kernels of a
	// ByValue have it.
	ValueParameter ParameterKind = "value"

	// Of textures, which PTX kernels alone have. CUDA joins a texture with a sampler to one object,
	// so there is one for each pair that a kernel samples with.

	TextureParameter ParameterKind = "texture" // .u64, a texture object that texels are read from
	SurfaceParameter ParameterKind = "surface" // .u64, a surface object of the first level
	// .u64, a texture object with a sampler, as it filters where the level of detail is at most 0
	SampledParameter  ParameterKind = "sampled"
	MinifiedParameter ParameterKind = "minified" // .u64, the same as it filters at other levels
	// .u64, the same of one level: the first, or that of a Comparison
	GatheredParameter ParameterKind = "gathered"
	// ComparedParameter is .u32, what a kernel must know of a comparison sampler: see Comparison.
	ComparedParameter ParameterKind = "compared"
	// .u32, as the others, of the first level that the kernel sees
	WidthParameter    ParameterKind = "width"
	HeightParameter   ParameterKind = "height"
	DepthParameter    ParameterKind = "depth"
	LayersParameter   ParameterKind = "layers" // or cubes
	LevelsParameter   ParameterKind = "levels"
	SamplesParameter  ParameterKind = "samples"
	ChannelsParameter ParameterKind = "channels" // .u32, how many the texture's format has
)

// ValueBytes is how much memory all parameters take together at most of a kernel that takes uniform
// buffers by value: what every version of PTX has (PTX ISA, "Kernel Function Parameters").
const ValueBytes = 4096

// OfBuffers reports whether a parameter of the kind is of a buffer or holds the immediates; all
// others are of textures.
func (k ParameterKind) OfBuffers() bool {
	return k == AddressParameter || k == BytesParameter || k == LengthParameter || k == ImmediatesParameter || k == ValueParameter
}

// OfPairs reports whether a parameter of the kind is of a texture with a sampler.
func (k ParameterKind) OfPairs() bool { return slices.Contains(pairKinds[:], k) }

// OfObjects reports whether a parameter of the kind is a handle of a texture object or surface
// object; the others are numbers.
func (k ParameterKind) OfObjects() bool {
	return k == TextureParameter || k == SurfaceParameter || k.OfPairs() && k != ComparedParameter
}

// Parameter is a parameter of a PTX or AMD kernel.
type Parameter struct {
	Kind ParameterKind `json:"kind"`
	// Binding is a place in Kernel.Bindings, 0 for the immediates; of the kinds of textures it is
	// one in Kernel.Handles.
	Binding int `json:"binding"`
	// Sampler is the place of the sampler in Kernel.Handles, for the kinds that have one.
	Sampler int `json:"sampler,omitempty"`
}

// numberKinds are the kinds that every texture can have, and pairKinds those of a texture with a
// sampler.
var (
	numberKinds = [...]ParameterKind{TextureParameter, SurfaceParameter, WidthParameter, HeightParameter, DepthParameter, LayersParameter,
		LevelsParameter, SamplesParameter, ChannelsParameter}
	pairKinds = [...]ParameterKind{SampledParameter, MinifiedParameter, GatheredParameter, ComparedParameter}
)

// AllParameters returns each parameter that a kernel of this description can have, but for those of
// textures, of which there are as many as pairs, and values of uniform buffers, which stand for
// their addresses. Those that it has come in this order: addresses, sizes, and lengths of
// runtime-sized arrays, each in the order of Bindings; what is of textures, texture by texture and
// then sampler by sampler; values in the order of Bindings; the immediates. Bindings of all kinds
// of access are addresses.
func (k *Kernel) AllParameters() []Parameter {
	if k == nil {
		return nil
	}
	all := make([]Parameter, 0, 3*len(k.Bindings)+1)
	for _, kind := range [...]ParameterKind{AddressParameter, BytesParameter, LengthParameter} {
		for n := range k.Bindings {
			if kind != LengthParameter || k.Bindings[n].Stride != 0 {
				all = append(all, Parameter{Kind: kind, Binding: n})
			}
		}
	}
	if k.ImmediateBytes() > 0 {
		all = append(all, Parameter{Kind: ImmediatesParameter})
	}
	return all
}

// place is what the order of parameters goes by.
func (p Parameter) place() (place [4]int) {
	switch p.Kind {
	case AddressParameter:
		return [...]int{0, p.Binding, 0, 0}
	case BytesParameter:
		return [...]int{1, p.Binding, 0, 0}
	case LengthParameter:
		return [...]int{2, p.Binding, 0, 0}
	case ValueParameter:
		return [...]int{4, p.Binding, 0, 0}
	case ImmediatesParameter:
		return [...]int{5, 0, 0, 0}
	}
	if n := slices.Index(pairKinds[:], p.Kind); n >= 0 {
		return [...]int{3, p.Binding, 1 + p.Sampler, n}
	}
	return [...]int{3, p.Binding, 0, slices.Index(numberKinds[:], p.Kind)}
}

// CompareParameters says in which order a kernel has two parameters.
func CompareParameters(p, q Parameter) int {
	x, y := p.place(), q.place()
	return slices.Compare(x[:], y[:])
}

// can reports whether a kernel of this description can have a parameter.
func (k *Kernel) can(p Parameter) bool {
	isTexture := func(n int) bool { return k.Handles[n].Texture != nil }
	switch {
	case p.Binding < 0 || p.Sampler < 0 || p.Sampler != 0 && !p.Kind.OfPairs():
		return false
	case p.Kind == ImmediatesParameter:
		return p.Binding == 0 && k.ImmediateBytes() > 0
	case p.Kind.OfBuffers() && p.Binding >= len(k.Bindings):
		return false
	case p.Kind == LengthParameter:
		return k.Bindings[p.Binding].Stride != 0
	case p.Kind == ValueParameter:
		b := &k.Bindings[p.Binding]
		return b.Access == Uniform && b.Stride == 0 && b.Size <= ValueBytes
	case p.Kind.OfBuffers():
		return true
	case p.Binding >= len(k.Handles) || !isTexture(p.Binding):
		return false
	case p.Kind.OfPairs():
		return p.Sampler < len(k.Handles) && !isTexture(p.Sampler)
	}
	return slices.Contains(numberKinds[:], p.Kind)
}

// PassedParameters returns what a launch of a PTX kernel passes. A description without
// Parameters was written when kernels had all, and no textures. It fails if the description names a
// parameter that there cannot be, one twice, or another order.
func (k *Kernel) PassedParameters() ([]Parameter, error) {
	if k == nil {
		return nil, errNone("kernel")
	}
	if k.Parameters == nil {
		return k.AllParameters(), nil
	}
	for n, p := range k.Parameters {
		if !k.can(p) || n > 0 && CompareParameters(k.Parameters[n-1], p) >= 0 {
			return nil, fmt.Errorf("the description's parameter %d, %s of binding %d, is none that the kernel can have there", n, p.Kind, p.Binding)
		}
	}
	return k.Parameters, nil
}
