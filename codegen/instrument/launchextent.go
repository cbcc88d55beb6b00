package instrument

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// LowerLaunchExtent lowers the builtin launch_extent, which no target has, to words after the
// immediates of a kernel. The runtime writes them.
//
//	var @n : ptr<immediate, i32>        struct launch { value: i32, extent_x: u32 }
//	kernel @k(%e [launch_extent])       var @n : ptr<immediate, launch> [role launch_extent]
//	x = extract %e, 0u                  p = access @n, 1u
//	y = load @n                         x = load p
//	                                    q = access @n, 0u
//	                                    y = load q
//
// Only the dimensions that the kernel uses are there. The pass runs before all others, so that
// these see ordinary loads of immediates. Other uses of immediates go through another access, which
// costs nothing on any target.
var LowerLaunchExtent = opt.Pass{
	Name:  "lower-launch-extent",
	Doc:   "append the extent of a launch to the immediates",
	Needs: ir.Bound,
	Keeps: ir.AsWritten,
	Run: func(_ *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if n := slices.Index(f.Builtins, ir.LaunchExtent); n >= 0 {
				moveExtent(m, f, n)
			}
		}
	},
}

// LowerWholeLaunchExtent replaces LowerLaunchExtent for targets that launch only full workgroups.
// All invocations are within the extent, so it becomes the greatest u32, or the greatest i32 if
// IntPositions is set. WGSL has immediates only in a language extension, which not every browser
// has.
var LowerWholeLaunchExtent = opt.Pass{
	Name:  "lower-whole-launch-extent",
	Doc:   "assume that launches consist of full workgroups",
	Needs: ir.Bound,
	Keeps: ir.AsWritten,
	Run: func(_ *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			n := slices.Index(f.Builtins, ir.LaunchExtent)
			if n < 0 {
				continue
			}
			extent := f.Params(f.Entry)[n]
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				switch o := f.Op(i); {
				case o == op.Min && isExtent(f, f.Arg(i, 1), extent):
					f.Replace(f.Result(i), f.Arg(i, 0))
				case (o == op.Lt || o == op.Ge) && isExtent(f, f.Arg(i, 1), extent):
					f.Replace(f.Result(i), m.ConstBool(o == op.Lt))
				}
			}
			limit := uint64(1<<32 - 1)
			if f.IntPositions {
				limit = 1<<31 - 1
			}
			f.Replace(extent, m.ConstSplat(m.VectorOf(ir.U32, 3), limit))
			f.ApplyReplacements()
			removeParameter(f, n)
		}
	},
}

// isExtent reports whether a value is a component of the extent, converted or not.
func isExtent(f *ir.Func, v, extent ir.Value) bool {
	d, ok := f.Def(v)
	if ok && f.Op(d) == op.Convert {
		d, ok = f.Def(f.Arg(d, 0))
	}
	return ok && f.Op(d) == op.Extract && f.Arg(d, 0) == extent
}

// removeParameter removes the n-th parameter of a kernel, which nothing uses.
func removeParameter(f *ir.Func, n int) {
	f.SetParams(f.Entry, slices.Delete(slices.Clone(f.Params(f.Entry)), n, n+1))
	f.Builtins = slices.Delete(slices.Clone(f.Builtins), n, n+1)
}

// extentName is the name of the structure, and of the variable if the kernel has no immediates. It
// is no identifier of a source language.
const extentName = "launch.extent"

// moveExtent moves the extent of the only kernel of a module, its n-th parameter, to the
// immediates.
func moveExtent(m *ir.Module, f *ir.Func, n int) {
	extent := f.Params(f.Entry)[n]
	var used [3]bool
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if !slices.Contains(f.Args(i), extent) {
			continue
		}
		if c, ok := componentOf(m, f, i); ok {
			used[c] = true
		} else {
			used = [3]bool{true, true, true}
		}
	}
	variable := slices.IndexFunc(m.Globals, func(g ir.Global) bool { return m.SpaceOf(g.Type) == ir.Immediate })
	var members []ir.Member
	g := ir.Global{Name: extentName}
	if variable >= 0 {
		g = m.Globals[variable]
		members = append(members, ir.Member{Name: "value", Type: m.Element(g.Type)})
	}
	var at [3]uint32
	for c, name := range ir.ExtentNames {
		if used[c] {
			at[c] = uint32(len(members))
			members = append(members, ir.Member{Name: name, Type: ir.U32})
		}
	}
	b := ir.NewBuilder(f)
	if used != [3]bool{} {
		_, align := m.LayoutStruct(members, nil, nil)
		// no padding at the end, since launches do not pass it
		size := members[len(members)-1].Offset + 4
		g.Type, g.Role = m.PointerTo(ir.Immediate, m.NewStruct(extentName, members, size, align), ir.Read), ir.ExtentWords
		var v ir.Value
		if variable >= 0 {
			v = ir.GlobalValue(variable)
			m.Globals[variable] = g
			for _, f := range m.Funcs {
				throughMember(m, f, v)
			}
		} else {
			v = m.AddGlobal(g)
			f.Interface = append(f.Interface, v)
		}
		b.SetBefore(rewrite.AfterVars(f))
		b.Span = f.Span
		words := [3]ir.Value{m.ConstU32(0), m.ConstU32(0), m.ConstU32(0)}
		for c := range words {
			if used[c] {
				words[c] = b.Load(b.Access(v, m.ConstU32(at[c])))
			}
		}
		whole := ir.NoValue
		for i := f.First(f.Entry); i != 0; {
			next := f.After(i, f.Entry)
			if !slices.Contains(f.Args(i), extent) {
				i = next
				continue
			}
			if c, ok := componentOf(m, f, i); ok {
				f.Replace(f.Result(i), words[c])
				f.Remove(i)
				i = next
				continue
			}
			if whole == ir.NoValue {
				b.SetBefore(behindLoads(f, words[2]))
				whole = b.Construct(m.VectorOf(ir.U32, 3), words[:]...)
			}
			f.Replace(extent, whole)
			i = next
		}
		f.ApplyReplacements()
	}
	removeParameter(f, n)
}

// behindLoads returns the instruction after the definition of v, or the first one after the
// variables.
func behindLoads(f *ir.Func, v ir.Value) ir.Inst {
	if i, ok := f.Def(v); ok {
		return f.Next(i)
	}
	return rewrite.AfterVars(f)
}

// componentOf returns the component that an instruction extracts from its operand, or ok = false if
// it does anything else.
func componentOf(m *ir.Module, f *ir.Func, i ir.Inst) (uint32, bool) {
	if f.Op(i) != op.Extract {
		return 0, false
	}
	c, ok := m.ConstUint(f.Arg(i, 1))
	return uint32(c), ok && c < 3
}

// throughMember replaces the uses of a variable by accesses to its first member.
func throughMember(m *ir.Module, f *ir.Func, v ir.Value) {
	b := ir.NewBuilder(f)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if a == v {
				b.SetBefore(i)
				b.Span = f.SpanOf(i)
				f.SetArg(i, n, b.Access(v, m.ConstU32(0)))
			}
		}
	}
}
