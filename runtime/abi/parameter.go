// The parameters of PTX and AMDGPU kernels: which there are, in which order, and how a description
// lists those that a kernel has.

package abi

import (
	"fmt"
	"slices"
)

// ParameterKind says what a parameter of a PTX or AMDGPU kernel holds; the comments give PTX types.
// AMDGPU's have the same sizes, each aligned to its size and immediates to 16 bytes.
type ParameterKind string

// The kinds of parameters.
const (
	AddressParameter ParameterKind = "address" // .u64, a binding's device address
	// .u32, a binding's size in bytes, at most 2^32-1
	BytesParameter      ParameterKind = "bytes"
	LengthParameter     ParameterKind = "length"     // .u32, Binding.Length
	ImmediatesParameter ParameterKind = "immediates" // .b8[], the immediates
	// ValueParameter is .b8[] aligned to 16: the first Binding.Size bytes of a uniform buffer,
	// which the host has to know. Only the code of a ByValue has it.
	ValueParameter ParameterKind = "value"
	// TensorMapParameter is .b8[128] aligned to 64: an encoded tensor map. Only the code of a
	// Tensor has it.
	TensorMapParameter ParameterKind = "tensorMap"

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

// ValueBytes limits the size of all parameters of a kernel that takes uniform buffers by value:
// every version of PTX allows as much (PTX ISA, "Kernel Function Parameters").
const ValueBytes = 4096

// TensorMapBytes is the size of an encoded tensor map (CUtensorMap), and TensorMapAlignment what
// its address is a multiple of: in the memory of parameters, and where CUDA writes it.
const (
	TensorMapBytes     = 128
	TensorMapAlignment = 64
)

// bufferKinds are the kinds of buffers and the immediates in their order.
var bufferKinds = [...]ParameterKind{TensorMapParameter, AddressParameter, BytesParameter, LengthParameter, ValueParameter, ImmediatesParameter}

// textureRank orders the kinds of textures: between LengthParameter and ValueParameter, where the
// kinds of buffers have twice their index.
const textureRank = 2*3 + 1

// OfBuffers reports whether a parameter of the kind is of a buffer or holds the immediates; all
// others are of textures.
func (k ParameterKind) OfBuffers() bool {
	return slices.Contains(bufferKinds[:], k)
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
	// Binding is an index in Kernel.Bindings, in Kernel.Handles for kinds of textures, or in
	// Tensor.Maps for a tensor map. It is 0 for the immediates.
	Binding int `json:"binding"`
	// Sampler is the index of the sampler in Kernel.Handles, for kinds that have one (OfPairs).
	Sampler int `json:"sampler,omitempty"`
}

// numberKinds are the kinds that every texture can have, and pairKinds those of a texture with a
// sampler.
var (
	numberKinds = [...]ParameterKind{TextureParameter, SurfaceParameter, WidthParameter, HeightParameter, DepthParameter, LayersParameter,
		LevelsParameter, SamplesParameter, ChannelsParameter}
	pairKinds = [...]ParameterKind{SampledParameter, MinifiedParameter, GatheredParameter, ComparedParameter}
)

// AllParameters returns each parameter that a kernel of this description can have, except those of
// textures, ValueParameter and TensorMapParameter.
//
// Parameters have this order. Tensor maps come first. Addresses, sizes, and lengths of
// runtime-sized arrays are next, each in the order of Bindings. Those of each texture follow, with
// those of its pairs with each sampler. Then come values in the order of Bindings, and the
// immediates. Bindings of all access kinds have addresses.
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

// sortKey returns what parameters are ordered by.
func (p Parameter) sortKey() (key [4]int) {
	if n := slices.Index(bufferKinds[:], p.Kind); n >= 0 {
		return [...]int{2 * n, p.Binding, 0, 0}
	}
	if n := slices.Index(pairKinds[:], p.Kind); n >= 0 {
		return [...]int{textureRank, p.Binding, 1 + p.Sampler, n}
	}
	return [...]int{textureRank, p.Binding, 0, slices.Index(numberKinds[:], p.Kind)}
}

// CompareParameters compares the positions of two parameters in the order of AllParameters.
func CompareParameters(p, q Parameter) int {
	x, y := p.sortKey(), q.sortKey()
	return slices.Compare(x[:], y[:])
}

// allows reports whether a kernel of this description can have a parameter. It does not know how
// many tensor maps there are.
func (k *Kernel) allows(p Parameter) bool {
	isTexture := func(n int) bool { return k.Handles[n].Texture != nil }
	switch {
	case p.Binding < 0 || p.Sampler < 0 || p.Sampler != 0 && !p.Kind.OfPairs():
		return false
	case p.Kind == ImmediatesParameter:
		return p.Binding == 0 && k.ImmediateBytes() > 0
	case p.Kind == TensorMapParameter:
		return true
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

// PassedParameters returns what a launch of a PTX kernel passes. Descriptions without Parameters
// are of kernels that take all. It fails if the description lists a parameter that the kernel
// cannot have, a parameter twice, or another order.
func (k *Kernel) PassedParameters() ([]Parameter, error) {
	if k == nil {
		return nil, errNone("kernel")
	}
	if k.Parameters == nil {
		return k.AllParameters(), nil
	}
	for n, p := range k.Parameters {
		if !k.allows(p) || n > 0 && CompareParameters(k.Parameters[n-1], p) >= 0 {
			return nil, fmt.Errorf("the description's parameter %d, %s of binding %d, is none that the kernel can have there", n, p.Kind, p.Binding)
		}
	}
	return k.Parameters, nil
}
