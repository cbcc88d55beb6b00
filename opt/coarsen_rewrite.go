package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes the coarse kernel (threadcoarsening.go).

// rewrite replaces the kernel's body.
func (s *coarsener) rewrite() {
	f, b := s.f, &s.b
	s.kernel = f.Region(f.NewScope(f.Span), 0) // in no block: what is in it is only copied
	f.MoveBlock(f.Entry, s.kernel)
	b.SetBlock(f.Entry)
	b.Span = f.Span
	s.begin(f, f)
	s.targets()
	for j := range s.count {
		s.items[j] = ir.Zeroed(s.items[j], f.ValueCount())
		s.last = s.place(s.items[j], s.m.ConstU32(uint32(j)))
	}
	if s.guard != 0 {
		s.jam(s.kernel, f.Entry)
		return
	}
	made := b.If(s.bounded(s.kernel, b.Op(op.Lt, s.last, s.extent)))
	s.rangeCheck = made
	setInBounds(s.f, s.inRange, true)
	s.jam(s.kernel, f.Region(made, 0))
	setInBounds(s.f, s.inRange, false)
	b.SetBlock(f.Region(made, 1))
	s.serialize()
	b.Exit(made)
	b.SetBlock(f.Entry)
	b.Return(ir.NoValue)
}

// Compute the index of an invocation's first item along the axis, and the extent of the launch.
func (s *coarsener) targets() {
	b, count := &s.b, s.m.ConstU32(uint32(s.count))
	component := func(builtin ir.Builtin) ir.Value { return b.Extract(s.parameter(builtin), uint32(s.axis)) }
	if s.adjacent {
		s.global = b.Op(op.Mul, component(ir.GlobalInvocationID), count)
	} else {
		s.group = b.Op(op.Mul, component(ir.WorkgroupID), count)
		s.global = b.Op(op.Add, b.Op(op.Mul, s.group, s.f.Workgroup[s.axis]), component(ir.LocalInvocationID))
	}
	if s.words != ir.NoValue {
		s.extent = b.Load(b.Access(s.words, s.m.ConstU32(uint32(s.member))))
	} else {
		s.extent = component(ir.LaunchExtent)
	}
}

// parameter returns the kernel's parameter that is a builtin value, or adds it.
func (s *coarsener) parameter(builtin ir.Builtin) ir.Value {
	f := s.f
	for n, p := range f.Params(f.Entry) {
		if f.Builtins[n] == builtin {
			return p
		}
	}
	f.Builtins = append(f.Builtins, builtin)
	return f.AddParam(f.Entry, s.m.VectorOf(ir.U32, 3))
}

// Set the values of the kernel's parameters in an item, and return its index along the axis.
func (s *coarsener) place(values []ir.Value, item ir.Value) ir.Value {
	f, m, b := s.f, s.m, &s.b
	group, step := ir.NoValue, item
	if !s.adjacent {
		group = b.Op(op.Add, s.group, item)
		step = b.Op(op.Mul, item, f.Workgroup[s.axis])
	}
	global := b.Op(op.Add, s.global, step)
	for n, v := range f.Params(f.Entry) {
		if int(v) >= len(values) {
			continue // added by parameter
		}
		values[v] = v
		component := ir.NoValue
		switch f.Builtins[n] {
		case ir.GlobalInvocationID:
			component = global
		case ir.WorkgroupID:
			component = group
		case ir.NumWorkgroups: // that of the kernel's own launch: the coarse one's is rounded up
			size := f.Workgroup[s.axis]
			component = b.Op(op.Div, b.Op(op.Add, s.extent, b.Op(op.Sub, size, m.ConstU32(1))), size)
		}
		if component == ir.NoValue {
			continue
		}
		var parts [3]ir.Value
		for c := range parts {
			if parts[c] = component; c != s.axis {
				parts[c] = b.Extract(v, uint32(c))
			}
		}
		values[v] = b.Construct(f.TypeOf(v), parts[:]...)
	}
	return global
}

// jam writes a block that all items execute together, as in unroll-and-jam.
func (s *coarsener) jam(from, to ir.Block) {
	f := s.f
	for i := f.First(from); i != 0; i = f.Next(i) {
		o := f.Op(i)
		switch {
		case i == s.guard:
			s.writeGuard(i, to)
		case o.Is(op.Control) && !s.divergent[i]:
			s.jamControl(i, to)
		case o.Is(op.Terminator):
			s.end(i, to)
		case o.Is(op.Control), f.Result(i) == ir.NoValue, s.depends[f.Result(i)]:
			for j := range s.count {
				s.copyAs(i, j, to)
			}
		default:
			s.copyAs(i, 0, to)
			for j := 1; j < s.count; j++ {
				s.items[j][f.Result(i)] = s.items[0][f.Result(i)]
			}
		}
	}
}

// copyAs copies an instruction, with what is in it, for an item.
func (s *coarsener) copyAs(i ir.Inst, item int, to ir.Block) {
	s.values = s.items[item]
	made := s.copyInst(i)
	s.f.Append(to, made)
	if s.f.Op(i).Is(op.Control) {
		s.copyRegions(i, made)
	}
	s.items[item] = s.values
}

// jamControl writes control that all items go through together, with parameters and results for
// all.
func (s *coarsener) jamControl(i ir.Inst, to ir.Block) {
	f := s.f
	s.values = s.items[0]
	made := s.copyInst(i)
	if f.Op(i) == op.Loop {
		s.wide = s.wide[:0]
		s.widen(f.Params(f.Region(i, 0)), f.Args(i))
		f.SetArgs(made, s.wide...)
	}
	f.Append(to, made)
	f.SetLabelName(made, f.LabelName(i))
	s.insts[i] = made
	for k := range f.Blocks(i) {
		b := f.Region(made, k)
		for n := range f.Params(f.Region(i, k)) {
			old := f.Params(f.Region(i, k))[n]
			s.define(old, func() ir.Value { return f.AddParam(b, f.TypeOf(old)) })
		}
		s.jam(f.Region(i, k), b)
	}
	for n := range f.Results(i) {
		old := f.Results(i)[n]
		s.define(old, func() ir.Value { return f.AddResult(made, f.TypeOf(old)) })
	}
}

// define makes what a value becomes: one for all items, or one for each.
func (s *coarsener) define(old ir.Value, make func() ir.Value) {
	for j := range s.count {
		if j > 0 && !s.depends[old] {
			s.items[j][old] = s.items[0][old]
			continue
		}
		s.items[j][old] = make()
		s.f.SetName(s.items[j][old], s.f.ValueName(old))
	}
}

// widen appends what is passed to parameters or results.
func (s *coarsener) widen(targets, values []ir.Value) {
	for n, p := range targets {
		for j := range s.count {
			if j == 0 || s.depends[p] {
				s.wide = append(s.wide, s.valueOf(values[n], j))
			}
		}
	}
}

// valueOf returns what a value is in an item.
func (s *coarsener) valueOf(v ir.Value, item int) ir.Value {
	if v.IsLocal() {
		return s.items[item][v]
	}
	return v
}

// end writes the end of a block that all items execute together.
func (s *coarsener) end(i ir.Inst, to ir.Block) {
	f := s.f
	s.wide = s.wide[:0]
	o, target := f.Op(i), uint32(0)
	switch o {
	case op.Exit:
		s.widen(f.Results(f.Target(i)), f.Args(i))
	case op.Continue:
		s.widen(f.Params(f.Region(f.Target(i), 1)), f.Args(i))
	case op.Next:
		params, condition, results := f.NextArgs(i)
		s.widen(f.Params(f.Region(f.Target(i), 0)), params)
		if condition != ir.NoValue {
			s.wide = append(s.wide, s.valueOf(condition, 0))
			s.widen(f.Results(f.Target(i)), results)
		}
	}
	switch o {
	case op.Exit, op.Continue, op.Next:
		target = uint32(s.insts[f.Target(i)])
	case op.Return:
		if s.rangeCheck != 0 {
			o, target = op.Exit, uint32(s.rangeCheck)
		}
	}
	f.Append(to, f.NewInst(o, ir.Void, target, f.SpanOf(i), s.wide...))
}

// writeGuard writes the guard. The items are executed together if all of them go that way and lie
// in the launch, else one after the other.
func (s *coarsener) writeGuard(i ir.Inst, to ir.Block) {
	f, b := s.f, &s.b
	b.SetBlock(to)
	b.Span = f.SpanOf(i)
	all := b.Op(op.Lt, s.last, s.extent)
	for j := range s.count {
		goes := s.valueOf(f.Arg(i, 0), j)
		if s.joint == f.Region(i, 1) {
			goes = b.Op(op.Not, goes)
		}
		all = b.Op(op.And, all, goes)
	}
	made := b.If(s.bounded(s.joint, all))
	s.insts[i] = made
	setInBounds(s.f, s.inRange, true)
	s.jam(s.joint, f.Region(made, 0))
	setInBounds(s.f, s.inRange, false)
	b.SetBlock(f.Region(made, 1))
	s.serialize()
	b.Exit(made)
}

// serialize executes the kernel for one item after the other, as far as they lie in the launch.
func (s *coarsener) serialize() {
	f, b := s.f, &s.b
	b.Count(uint32(s.count), func(item ir.Value) {
		values, insts := s.values, s.insts
		s.values, s.insts = ir.Zeroed(s.serialValues, f.ValueCount()), ir.Zeroed(s.serialInsts, f.InstCount())
		s.scope = b.If(b.Op(op.Lt, s.place(s.values, item), s.extent))
		s.copyBlock(s.kernel, f.Region(s.scope, 0), 0)
		b.SetBlock(f.Region(s.scope, 1))
		b.Exit(s.scope)
		b.SetBlock(f.BlockOf(s.scope))
		s.serialValues, s.serialInsts, s.scope = s.values, s.insts, 0
		s.values, s.insts = values, insts
	})
}
