package campaign

// Programs that others wrote, as cases: their text is independent of the generator, and what they
// have to compute is what another implementation says (internal/difftest/dawn). A case expects
// what the checked interpreter computes from random inputs, since it says which programs rely on
// what WGSL leaves undefined.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// attempts are how programs are launched: the first that is defined counts. With few elements
// indices are more often outside, and with one workgroup there are fewer races.
var attempts = [...]struct {
	groups, elements int
}{{2, 64}, {1, 64}, {2, 2048}, {1, 2048}}

const (
	borrowedBytes = 1 << 16 // that a buffer has at most
	// borrowedTolerance is how much a float may differ, relative to itself or to one: WGSL leaves
	// the accuracy of functions to implementations, and programs go on with what they give.
	borrowedTolerance = 1e-3
)

// Borrow makes a case of each entry point for compute of a program. refused says, by entry point
// or for the whole program, why there is none.
func Borrow(name, code string, random *rand.Rand) (cases []*difftest.Case, refused []error) {
	set := new(source.Set)
	file, err := set.Add(name, code)
	if err != nil {
		return nil, []error{err}
	}
	var list diag.List
	m, err := frontend.Load(set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		return nil, []error{fmt.Errorf("refused: %v", list.Items())}
	}
	way, err := Open("cpu:checked")
	if err != nil {
		return nil, []error{err}
	}
	for _, f := range m.Funcs {
		if !f.Kernel {
			continue
		}
		failed := error(nil)
		for _, attempt := range attempts {
			c := &difftest.Case{Name: name + " " + f.Name, Code: code, Entry: f.Name,
				Dispatch: [3]int{attempt.groups, 1, 1}, Bindings: []difftest.Binding{}, Constants: map[string]float64{}}
			err := borrow(c, m, uint32(attempt.elements), way, random)
			if err == nil {
				cases = append(cases, c)
				failed = nil
				break
			}
			failed = cmp.Or(failed, err)
		}
		if failed != nil {
			refused = append(refused, fmt.Errorf("%s: %w", f.Name, failed))
		}
	}
	return cases, refused
}

// borrow completes a case of an entry point of a module, which was made of the case's code, with so
// many elements in runtime-sized arrays.
func borrow(c *difftest.Case, m *ir.Module, elements uint32, way *Way, random *rand.Rand) error {
	for n, o := range m.Overrides {
		if o.Name != "" && len(m.OverrideArgs(ir.OverrideValue(n))) == 0 {
			key := o.Name
			if o.ID >= 0 {
				key = fmt.Sprint(o.ID)
			}
			c.Constants[key] = 1
		}
	}
	artefact, err := compile(way.target, c, Configuration{})
	if err != nil {
		return err
	}
	k := &artefact.Kernel
	if len(k.Handles) > 0 {
		return fmt.Errorf("has textures or samplers")
	}
	if k.Immediates != nil {
		c.Immediates = make([]byte, k.Immediates.Size)
	}
	for _, b := range k.Arguments() {
		global := ir.Type(0)
		for n := range m.Globals {
			if g := &m.Globals[n]; g.Bound && g.Group == b.Group && g.Binding == b.Binding && g.Name == b.Name {
				global = m.Element(g.Type)
			}
		}
		if global == 0 {
			return fmt.Errorf("no variable %s", b.Name)
		}
		bytes := (uint64(b.Size) + uint64(elements)*uint64(b.Stride) + 3) &^ 3
		if bytes > borrowedBytes {
			return fmt.Errorf("%s has %d bytes", b.Name, bytes)
		}
		d := difftest.Binding{Group: int(b.Group), Binding: int(b.Binding), Name: b.Name, Kind: kinds[b.Access],
			Data: make([]byte, bytes), Stride: int(bytes), Count: 1, Tolerance: borrowedTolerance}
		fill(m, global, elements, 0, &d, random)
		c.Bindings = append(c.Bindings, d)
	}
	got, err := way.execute(artefact, c, func(string) {})
	if err != nil {
		return err
	}
	for n := range c.Bindings {
		c.Bindings[n].Want = got[n]
	}
	return nil
}

// kinds gives the words of WebGPU for accesses to buffers.
var kinds = map[abi.Access]string{abi.Uniform: "uniform", abi.Read: "read-only-storage", abi.ReadWrite: "storage"}

// fill gives the scalars of a type at an offset small random numbers, which are sizes and indices
// often enough, and notes where the floats are. A runtime-sized array has so many elements.
func fill(m *ir.Module, t ir.Type, elements, at uint32, b *difftest.Binding, random *rand.Rand) {
	switch m.KindOf(t) {
	case ir.AtomicType:
		t = m.Element(t)
	case ir.VectorType, ir.MatrixType, ir.ArrayType, ir.StructType:
		n, ok := m.Count(t)
		if !ok { // runtime-sized
			n = elements
		}
		for i := range n {
			fill(m, m.PartType(t, i), elements, at+m.PartOffset(t, i), b, random)
		}
		return
	}
	word := b.Data[at:]
	switch k := m.ScalarOf(t); k {
	case scalar.F32:
		b.Floats = append(b.Floats, difftest.FloatField{Offset: int(at)})
		binary.LittleEndian.PutUint32(word, math.Float32bits(float32(random.IntN(65)-16)/8))
	case scalar.F16:
		b.Floats = append(b.Floats, difftest.FloatField{Offset: int(at), Half: true})
		binary.LittleEndian.PutUint16(word, uint16(scalar.FromFloat64(k, float64(random.IntN(65)-16)/8)))
	case scalar.I32, scalar.U32:
		binary.LittleEndian.PutUint32(word, uint32(random.IntN(9)))
	}
}
