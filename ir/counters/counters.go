// Package counters counts what a kernel does in a launch: the bytes that it reads and writes in
// buffers, and its floating-point operations. The counts are exact, since a launch that counts is
// executed. A counter in a separate buffer is raised wherever control may come to from elsewhere.
// What lies between two such points is added up beforehand.
package counters

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// Counts are what the invocations of a launch do, all together.
type Counts struct {
	// Read and Written are bytes of storage buffers, however often each is accessed. An atomic
	// operation that does both counts as both.
	Read, Written uint64
	// Uniform are bytes that are read of uniform buffers and immediates. They are no traffic of
	// memory: these are small, and devices have them in registers or in separate caches.
	Uniform uint64
	// Operations are additions, subtractions, multiplications, divisions, remainders, roots and
	// functions of floats, one for each component; a fused multiply-add is two.
	Operations uint64
	// Texels are reads, samples and writes of textures. TexelsRead and TexelsWritten are the bytes
	// of the texels that these read and write. How many texels a sample reads, and how large they
	// are, depends on the texture and the sampler of the launch (AddTexels).
	Texels, TexelsRead, TexelsWritten uint64
}

// Name is that of the variable that has the counters.
const Name = "tally.counters"

// Tally is what a kernel with counters does from each counter to the next.
type Tally struct {
	Counter ir.Value // the variable, an array of atomic u64 in a storage buffer
	runs    []run
}

// run is what is executed in a row.
type run struct {
	Counts
	f      *ir.Func
	before ir.Inst // where its counter is raised
}

// Instrument adds counters to an isolated kernel and what it calls.
func Instrument(m *ir.Module, kernel *ir.Func) *Tally {
	t := new(Tally)
	for _, f := range ir.ReachOf(m, kernel).Funcs {
		t.block(f, f.Entry)
	}
	counter := m.AtomicOf(ir.U64)
	g := ir.Global{Name: Name, Bound: true,
		Type: m.PointerTo(ir.Storage, m.ArrayOf(counter, m.ConstU32(uint32(len(t.runs)))), ir.ReadWrite)}
	for i := range m.Globals {
		if other := &m.Globals[i]; other.Bound && other.Group >= g.Group {
			g.Group = other.Group + 1
		}
	}
	t.Counter = m.AddGlobal(g)
	one := m.ConstScalar(ir.U64, 1)
	for n := range t.runs {
		r := &t.runs[n]
		b := ir.Builder{F: r.f, Span: r.f.SpanOf(r.before)}
		b.SetBefore(r.before)
		b.Emit(op.AtomicReadModifyWrite, ir.U64, uint32(op.AtomicAdd), b.Access(t.Counter, m.ConstU32(uint32(n))), one)
	}
	return t
}

// Bytes is the size of the counters' buffer, which is zero before the launch.
func (t *Tally) Bytes() int { return 8 * len(t.runs) }

// Sum returns what a launch has done, given the counters after it.
func (t *Tally) Sum(counters []byte) (sum Counts) {
	for n := range t.runs {
		r, times := &t.runs[n].Counts, binary.LittleEndian.Uint64(counters[8*n:])
		sum.Read += times * r.Read
		sum.Written += times * r.Written
		sum.Uniform += times * r.Uniform
		sum.Operations += times * r.Operations
		sum.Texels += times * r.Texels
	}
	return sum
}

// AddTexels adds what a launch has counted of a texture.
func (c *Counts) AddTexels(t *texture.Traffic) {
	c.TexelsRead += t.Read.Load()
	c.TexelsWritten += t.Written.Load()
}

// block makes the runs of a block: the first instruction begins one, and what follows an
// instruction that owns blocks, since these may be left for good, does so again.
func (t *Tally) block(f *ir.Func, b ir.Block) {
	at := -1
	for i := f.First(b); i != 0; i = f.Next(i) {
		if at < 0 {
			at = len(t.runs)
			t.runs = append(t.runs, run{f: f, before: i})
		}
		t.runs[at].add(f, i)
		if f.Op(i).Is(op.Control) {
			for n := range f.Blocks(i) {
				t.block(f, f.Region(i, n))
			}
			at = -1
		}
	}
}

// add adds what an instruction does once.
func (r *run) add(f *ir.Func, i ir.Inst) {
	m, o := f.Module, f.Op(i)
	for n, a := range f.Args(i) {
		effects := o.Operand(n)
		if effects == 0 {
			continue
		}
		t := f.TypeOf(a)
		if !m.IsPointer(t) { // a texture
			continue
		}
		switch m.SpaceOf(t) {
		case ir.Storage, ir.Uniform, ir.Immediate:
		default:
			continue
		}
		bytes := uint64(m.Size(m.Element(t)))
		if effects&op.Reads != 0 && m.SpaceOf(t) == ir.Storage {
			r.Read += bytes
		} else if effects&op.Reads != 0 {
			r.Uniform += bytes
		}
		if effects&op.Writes != 0 {
			r.Written += bytes
		}
	}
	if texels[o] {
		r.Texels++
	}
	if each := operations[o]; each != 0 {
		t := f.TypeOf(f.Arg(i, 0))
		if m.ScalarOf(t).IsFloat() && m.ScalarOf(t) != scalar.None {
			n := uint64(m.Components(t)) * each
			if o == op.Dot {
				n-- // the first product is added to nothing
			}
			r.Operations += n
		}
	}
}

// texels are the operations that access texels of a texture.
var texels = [op.Count]bool{
	op.TextureLoad: true, op.TextureRead: true, op.TextureStore: true, op.TextureSample: true, op.TextureSampleGradient: true,
	op.TextureSampleCompare: true, op.TextureGather: true, op.TextureGatherCompare: true,
}

// operations are how many floating-point operations an instruction is for each component of its
// first operand.
var operations = [op.Count]uint64{
	op.Add: 1, op.Sub: 1, op.Mul: 1, op.Div: 1, op.Rem: 1, op.Fma: 2, op.Dot: 2,
	op.Sqrt: 1, op.InverseSqrt: 1, op.Sin: 1, op.Cos: 1, op.Tan: 1, op.Asin: 1, op.Acos: 1, op.Atan: 1, op.Atan2: 1,
	op.Sinh: 1, op.Cosh: 1, op.Tanh: 1, op.Asinh: 1, op.Acosh: 1, op.Atanh: 1,
	op.Exp: 1, op.Exp2: 1, op.Log: 1, op.Log2: 1, op.Pow: 1,
}
