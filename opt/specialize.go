package opt

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// Specialize specializes functions (Tint's DirectVariableAccess) so that calls pass only what every
// target accepts: nothing but pointers to whole function variables, and to what the caller was
// passed itself. SPIR-V without variable pointers accepts no others (SPIR-V §2.16.1), and no target
// has textures as parameters. A pointer leads by accesses to a variable of the module or the
// function. A copy of the callee makes the accesses itself. There is one for each variable of the
// module, each type of those of functions, and each way through structures and views. The indices
// of arrays, vectors and matrices, constant or not, become parameters.
//
//	call @f, %p              where %p = access @data, %i, 2u
//	call @f.3, %i            where @f.3 begins: %p = access @data, %i.0, 2u
//
//	call @f, %p              where %p = access %x, 7u, and %x is a variable
//	call @f.4, %x, 7u        where @f.4(%x, %i) begins: %p = access %x, %i
//
// Whatever inlining leaves, and that depends on its budgets, is valid for a target
// behind this pass.
var Specialize = Pass{
	Name:  "specialize",
	Doc:   "specialise functions for the variables that their pointer and handle arguments refer to",
	Needs: ir.Structured,
	Gives: ir.Rooted,
	Keeps: ir.AsWritten,
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[specializer](c, "specialize")
		s.run(c, m)
	},
}

// maxSpecialized is how many instructions the copies may have in all. There is one for each way to
// a part, not for each call. But the ways can multiply from layer to layer: each of two members of
// each of two members of a structure, and so on.
const maxSpecialized = 1 << 20

type specializer struct {
	copier
	c *Context
	// made numbers the copies by key: the callee, and for each pointer or handle its
	// root and the instructions between, as words.
	made  map[string]uint32
	key   []byte
	args  []ir.Value // of the call to the copy
	path  []ir.Inst  // from a pointer to its root
	fixed []ir.Value // what members returned
	work  []uint32   // functions whose calls are not looked at yet
	done  []bool     // by function: they were
	room  int        // of maxSpecialized
}

var calls = op.SetOf(op.Call)

// run goes from the kernels downwards, so that a caller's pointers lead back to
// their roots when its calls are looked at.
func (s *specializer) run(c *Context, m *ir.Module) {
	s.c, s.room, s.work = c, maxSpecialized, s.work[:0]
	clear(s.made)
	for k, f := range m.Funcs {
		if f.Kernel {
			s.work = append(s.work, uint32(k))
		}
	}
	s.done = ir.Zeroed(s.done, len(m.Funcs))
	for n := 0; n < len(s.work) && s.room >= 0; n++ {
		k := s.work[n]
		for len(s.done) < len(m.Funcs) {
			s.done = append(s.done, false)
		}
		if !s.done[k] {
			s.done[k] = true
			s.function(m.Funcs[k])
		}
	}
	if len(s.made) > 0 {
		removeUnreachableFuncs(c, m)
	}
}

func (s *specializer) function(f *ir.Func) {
	if !f.Had(&calls) {
		return
	}
	for i := f.First(f.Entry); i != 0 && s.room >= 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Call {
			s.call(f, i)
			s.work = append(s.work, f.Aux(i))
		}
	}
}

// call makes a call one of the copy that its pointers and handles require.
func (s *specializer) call(f *ir.Func, call ir.Inst) {
	s.key, s.args = s.key[:0], s.args[:0]
	s.word(f.Aux(call))
	wanted := false
	for k := range f.Args(call) {
		wanted = s.argument(f, f.Arg(call, k)) || wanted
	}
	if !wanted {
		return
	}
	number, ok := s.made[string(s.key)]
	if !ok {
		if s.made == nil {
			s.made = map[string]uint32{}
		}
		number = uint32(len(f.Module.Funcs))
		s.made[string(s.key)] = number
		s.copy(f, call)
	}
	f.SetAux(call, number)
	f.SetArgs(call, s.args...)
}

func (s *specializer) word(x uint32) { s.key = binary.LittleEndian.AppendUint32(s.key, x) }

// argument appends what replaces an argument to args, and what the copy has to know of it to the
// key. It reports whether the copy is another function than the callee because of it.
func (s *specializer) argument(f *ir.Func, a ir.Value) bool {
	root := s.trace(f, a)
	if root.IsGlobal() {
		s.word(uint32(root))
	} else {
		s.word(uint32(f.TypeOf(root)))
		s.args = append(s.args, root)
	}
	for _, i := range slices.Backward(s.path) {
		if f.Op(i) != op.Access { // accesses after another are one way
			s.word(0)
			s.word(uint32(f.Op(i)))
			s.word(uint32(f.Type(i)))
		}
		for n, member := range s.members(f, i) {
			if member != ir.NoValue {
				s.word(uint32(member))
				continue
			}
			index := f.Arg(i, n+1)
			s.word(uint32(f.TypeOf(index)))
			s.args = append(s.args, index)
		}
	}
	s.word(0)
	s.word(0)
	return root.IsGlobal() || len(s.path) > 0
}

// trace follows a pointer or handle to the variable or parameter that it comes from,
// and notes the instructions between. Any other value is its own root.
func (s *specializer) trace(f *ir.Func, v ir.Value) ir.Value {
	s.path = s.path[:0]
	switch f.Module.KindOf(f.TypeOf(v)) {
	case ir.PointerType, ir.TextureType, ir.SamplerType:
	default:
		return v
	}
	for {
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Access && f.Op(i) != op.View && f.Op(i) != op.Load {
			return v
		}
		s.path = append(s.path, i)
		v = f.Arg(i, 0)
	}
}

// members returns, for each operand behind the pointer of an instruction in a path,
// the constant that names a structure's member, or NoValue for what becomes a
// parameter.
func (s *specializer) members(f *ir.Func, i ir.Inst) []ir.Value {
	s.fixed = s.fixed[:0]
	m := f.Module
	t := m.Element(f.TypeOf(f.Arg(i, 0)))
	for _, x := range f.Args(i)[1:] {
		if f.Op(i) != op.Access {
			s.fixed = append(s.fixed, ir.NoValue)
			continue
		}
		n := uint64(0)
		if m.KindOf(t) == ir.StructType {
			s.fixed = append(s.fixed, x)
			n, _ = m.ConstUint(x)
		} else {
			s.fixed = append(s.fixed, ir.NoValue)
		}
		t = m.PartType(t, uint32(n))
	}
	return s.fixed
}

// copy appends the copy of the callee that a call requires to the module.
func (s *specializer) copy(f *ir.Func, call ir.Inst) {
	m := f.Module
	callee := m.Funcs[f.Aux(call)]
	if s.room -= instCount(callee); s.room < 0 {
		s.c.List.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: f.SpanOf(call),
			Message: "the functions that get pointers to this many different variables and members become too large: more than " +
				strconv.Itoa(maxSpecialized) + " instructions in all"})
	}
	made := m.NewFunc(callee.Name+"."+strconv.Itoa(len(m.Funcs)), callee.ResultType)
	made.Span = callee.Span
	made.Checks = slices.Clone(callee.Checks)
	s.begin(made, callee)
	b := ir.NewBuilder(made)
	b.Span = callee.Span
	for k, p := range callee.Params(callee.Entry) {
		s.values[p] = s.parameter(f, f.Arg(call, k), b, callee.ValueName(p))
	}
	// variables of the callee go to the start, after which copyBlock appends
	s.firstInst = made.First(made.Entry)
	if s.firstInst == 0 {
		s.firstInst = made.NewInst(op.Unreachable, ir.Void, 0, callee.Span)
		made.Append(made.Entry, s.firstInst)
		s.copyBlock(callee.Entry, made.Entry, 0)
		made.Remove(s.firstInst)
		return
	}
	s.copyBlock(callee.Entry, made.Entry, 0)
}

// parameter gives a copy the parameters that argument makes of one of the callee's,
// and returns what is the callee's parameter there.
func (s *specializer) parameter(f *ir.Func, a ir.Value, b *ir.Builder, name string) ir.Value {
	made := b.F
	v := s.trace(f, a)
	if !v.IsGlobal() {
		v = made.AddParam(made.Entry, f.TypeOf(v))
		made.SetName(v, name)
	}
	var indices []ir.Value
	for _, i := range slices.Backward(s.path) {
		if f.Op(i) != op.Access {
			v, indices = accessPart(b, v, indices), indices[:0]
		}
		for n, member := range s.members(f, i) {
			if member == ir.NoValue {
				member = made.AddParam(made.Entry, f.TypeOf(f.Arg(i, n+1)))
			}
			indices = append(indices, member)
		}
		if f.Op(i) != op.Access {
			operands := append([]ir.Value{v}, indices...)
			v, indices = b.Emit(f.Op(i), f.Type(i), f.Aux(i), operands...), indices[:0]
		}
	}
	return accessPart(b, v, indices)
}

// accessPart builds an access, if there are indices.
func accessPart(b *ir.Builder, v ir.Value, indices []ir.Value) ir.Value {
	if len(indices) == 0 {
		return v
	}
	return b.Access(v, indices...)
}
