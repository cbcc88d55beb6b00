package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file chooses the uniform buffers that the form of a kernel that is meant for it takes by
// value (codegen.Emission.ByValue). Parameters lie in a bank of constant memory, in which
// instructions have operands. So a number in a uniform buffer costs nothing there, and after an
// address a load, for which all that is computed with it waits.

// passValues has the builder pass uniform buffers by value, in the order of their bindings, as long
// as there is room for them in abi.ValueBytes.
func (e *emitter) passValues(reach *ir.Reach) {
	used := e.otherParameterBytes()
	e.addressed = e.addressedBindings(reach)
	for n, b := range e.Info.Bindings {
		if b.Access != abi.Uniform || b.Stride != 0 || e.addressed[n] {
			continue
		}
		if bytes := (b.MinimumBytes() + 15) &^ 15; used+bytes <= abi.ValueBytes {
			used += bytes
			e.builder.PassValue(n)
		}
	}
}

// otherParameterBytes is how much memory the kernel's parameters take at most, but for values: each
// with its alignment.
func (e *emitter) otherParameterBytes() (bytes uint64) {
	const number, address = 4, 8
	for _, b := range e.Info.Bindings {
		bytes += address
		if b.Stride != 0 {
			bytes += number
		}
	}
	textures, samplers := 0, 0
	for _, h := range e.Info.Handles {
		if h.Texture != nil {
			textures++
		} else {
			samplers++
		}
	}
	// a texture has two objects and seven numbers; with each sampler, three and one
	bytes += uint64(textures * (2*address + 7*address + samplers*4*address))
	return bytes + uint64(e.Info.ImmediateBytes()+15)&^15
}

// addressedBindings returns, by binding, which have to be read at an address. These are read by
// functions that are called, since a kernel's parameters have no address for them. They are also
// those read with an index that may differ between the invocations of a warp. Constant memory gives
// a warp one value at a time, global memory all.
func (e *emitter) addressedBindings(reach *ir.Reach) []bool {
	addressed := grown(e.addressed, len(e.Bindings))
	for _, f := range reach.Funcs {
		analysed := false
		e.roots = ir.Zeroed(e.roots, f.ValueCount())
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			for n, v := range f.Args(i) {
				binding := e.rootOf(v)
				if binding < 0 {
					continue
				}
				switch o := f.Op(i); {
				case !f.Kernel || n > 0 || o != op.Address && o != op.Load:
					addressed[binding] = true
				case o == op.Address:
					e.roots[f.Result(i)] = int32(binding + 1)
					bytes := f.Arg(i, 1)
					if bytes.IsConst() {
						break
					}
					if !analysed {
						e.uniform.SubgroupSize = warp
						e.uniform.Analyse(f, analysis.Subgroup)
						analysed = true
					}
					if e.uniform.Varies(bytes) {
						addressed[binding] = true
					}
				}
			}
		}
	}
	return addressed
}

// rootOf returns which binding a pointer leads to, or -1.
func (e *emitter) rootOf(v ir.Value) int {
	if v.IsLocal() {
		return int(e.roots[v]) - 1
	}
	for n, b := range e.Bindings {
		if b == v {
			return n
		}
	}
	return -1
}
