package callgraph

import (
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks the inputs and outputs of entry points: their attributes, the builtin values,
// and the rules about both (WGSL §13.3).

// Attributes are the interface attributes of a parameter, result or structure member.
type Attributes struct {
	Span        source.Span // of the attributes
	Builtin     uint8       // 1 + row in BuiltinValues
	Located     bool
	Location    uint32
	Blended     bool
	BlendSource uint32
	Invariant   bool
	Interpolate bool
	Flat        bool // of @interpolate(flat)
	Failed      bool // an error has been reported
}

func (a *Attributes) any() bool {
	return a.Builtin != 0 || a.Located || a.Blended || a.Invariant || a.Interpolate
}

// builtinUse is a stage, and whether the builtin value is an output of it.
type builtinUse struct {
	stage  sem.Stage
	output bool
}

// builtinValue is a row of the table of builtin values.
type builtinValue struct {
	Name      string
	typ       ir.Type // of the components; ir.Void for clip_distances
	size      int
	uses      []builtinUse
	Extension string // that is required
	value     ir.Builtin
}

// BuiltinValues is the table of builtin values (WGSL §13.3.1.1).
var BuiltinValues = []builtinValue{
	{Name: "vertex_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Vertex, false}}},
	{Name: "instance_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Vertex, false}}},
	{Name: "clip_distances", uses: []builtinUse{{sem.Vertex, true}}, Extension: "clip_distances"},
	{Name: "position", typ: ir.F32, size: 4, uses: []builtinUse{{sem.Vertex, true}, {sem.Fragment, false}}},
	{Name: "front_facing", typ: ir.Bool, size: 1, uses: []builtinUse{{sem.Fragment, false}}},
	{Name: "frag_depth", typ: ir.F32, size: 1, uses: []builtinUse{{sem.Fragment, true}}},
	{Name: "primitive_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Fragment, false}}, Extension: "primitive_index"},
	{Name: "sample_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Fragment, false}}},
	{Name: "sample_mask", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Fragment, false}, {sem.Fragment, true}}},
	{Name: "local_invocation_id", typ: ir.U32, size: 3, uses: []builtinUse{{sem.Compute, false}}, value: ir.LocalInvocationID},
	{Name: "local_invocation_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}}, value: ir.LocalInvocationIndex},
	{Name: "global_invocation_id", typ: ir.U32, size: 3, uses: []builtinUse{{sem.Compute, false}}, value: ir.GlobalInvocationID},
	{Name: "global_invocation_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}}, value: ir.GlobalInvocationIndex},
	{Name: "workgroup_id", typ: ir.U32, size: 3, uses: []builtinUse{{sem.Compute, false}}, value: ir.WorkgroupID},
	{Name: "workgroup_index", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}}, value: ir.WorkgroupIndex},
	{Name: "num_workgroups", typ: ir.U32, size: 3, uses: []builtinUse{{sem.Compute, false}}, value: ir.NumWorkgroups},
	{Name: "subgroup_invocation_id", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}, {sem.Fragment, false}}, Extension: "subgroups", value: ir.SubgroupInvocationID},
	{Name: "subgroup_size", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}, {sem.Fragment, false}}, Extension: "subgroups", value: ir.SubgroupSize},
	{Name: "subgroup_id", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}}, Extension: "subgroups", value: ir.SubgroupID},
	{Name: "num_subgroups", typ: ir.U32, size: 1, uses: []builtinUse{{sem.Compute, false}}, Extension: "subgroups", value: ir.NumSubgroups},
}

// ioScope collects the inputs, or the outputs, of an entry point.
type ioScope struct {
	stage     sem.Stage
	output    bool
	builtins  [32]source.Span
	locations []uint32
	spans     []source.Span
}

// interfaceValue checks a parameter or result: a value of the interface, or a structure of such. It
// calls found for each builtin value, with the member index or -1.
func (r *Recorder) interfaceValue(s *ioScope, t ir.Type, io *Attributes, span source.Span, found func(member int, builtin uint8)) {
	if t == ir.Void {
		return
	}
	m := r.module
	d := r.info.StructDecl(t)
	if m.KindOf(t) != ir.StructType {
		if io.Blended {
			r.error(diag.InvalidAttribute, io.Span, "@blend_src belongs on the members of a structure")
			return
		}
		r.InterfaceType(io, t, span)
		r.interfaceMember(s, t, io, span, func(b uint8) { found(-1, b) })
		return
	}
	if io.any() {
		r.error(diag.InvalidAttribute, io.Span, "the attributes of the interface belong on the members of the structure "+r.types.Name(t))
		return
	}
	if d == 0 {
		r.error(diag.InvalidEntryPoint, span, "a "+r.types.Name(t)+" cannot be part of the interface")
		return
	}
	members := r.tree.Decl(d).Members
	for i, member := range m.Members(t) {
		at := int(members.Start) + i
		r.interfaceMember(s, member.Type, &r.Interface[at], r.tree.Fields[at].NameSpan, func(b uint8) { found(i, b) })
	}
}

func (r *Recorder) interfaceMember(s *ioScope, t ir.Type, io *Attributes, span source.Span, found func(builtin uint8)) {
	m := r.module
	direction := "an input"
	if s.output {
		direction = "an output"
	}
	if io.Builtin != 0 {
		v := &BuiltinValues[io.Builtin-1]
		usable := false
		for _, u := range v.uses {
			usable = usable || u.stage == s.stage && u.output == s.output
		}
		switch {
		case !usable:
			r.error(diag.InvalidEntryPoint, io.Span, "the builtin value "+v.Name+" is not "+direction+" of "+s.stage.String()+" shaders")
		case s.builtins[io.Builtin-1].Valid():
			r.error(diag.InvalidEntryPoint, io.Span, "the builtin value "+v.Name+" is "+direction+" twice", diag.Note{Span: s.builtins[io.Builtin-1], Message: "first here"})
		default:
			s.builtins[io.Builtin-1] = io.Span
			found(io.Builtin)
		}
		return
	}
	if io.Failed {
		return
	}
	if !io.Located {
		r.error(diag.InvalidEntryPoint, span, direction+" of an entry point needs @builtin(…) or @location(…)")
		return
	}
	if s.stage == sem.Compute {
		r.error(diag.InvalidEntryPoint, io.Span, "compute shaders have no user-defined inputs and outputs")
		return
	}
	k := m.ScalarOf(t)
	crossing := s.stage == sem.Vertex && s.output || s.stage == sem.Fragment && !s.output
	if crossing && k.IsInteger() && !io.Flat {
		r.error(diag.InvalidEntryPoint, span, "integers between vertex and fragment shaders need @interpolate(flat)")
		io.Failed = true // reported once: a structure often serves both stages
	}
	if io.Blended {
		if s.stage != sem.Fragment || !s.output {
			r.error(diag.InvalidAttribute, io.Span, "@blend_src belongs on outputs of fragment shaders")
		}
		return
	}
	for i, l := range s.locations {
		if l == io.Location {
			r.error(diag.InvalidEntryPoint, io.Span, "location "+strconv.Itoa(int(l))+" is used twice", diag.Note{Span: s.spans[i], Message: "first here"})
		}
	}
	s.locations, s.spans = append(s.locations, io.Location), append(s.spans, io.Span)
}

// InterfaceType checks that the type of a parameter, result or member fits its attributes. For a
// member this is a rule of the structure, whoever uses it (WGSL §12, location).
func (r *Recorder) InterfaceType(io *Attributes, t ir.Type, span source.Span) {
	if t == ir.Void {
		return
	}
	m := r.module
	switch {
	case io.Builtin != 0:
		v := &BuiltinValues[io.Builtin-1]
		r.builtinType(v.Name, v.typ, v.size, t, span)
	case io.Located && (m.Components(t) == 0 || !m.ScalarOf(t).IsNumeric()):
		r.error(diag.InvalidEntryPoint, span, "inputs and outputs are numeric scalars and vectors, found "+r.types.Name(t))
		io.Failed = true
	}
}

// builtinType checks the type of a builtin value.
func (r *Recorder) builtinType(name string, element ir.Type, size int, t ir.Type, span source.Span) {
	m := r.module
	if element == ir.Void { // clip_distances
		n, ok := m.Count(t)
		if m.KindOf(t) != ir.ArrayType || m.Element(t) != ir.F32 || !ok || n > 8 {
			r.error(diag.InvalidEntryPoint, span, "the builtin value "+name+" is an array of at most 8 f32, found "+r.types.Name(t))
		}
		return
	}
	want := element
	if size > 1 {
		want = m.VectorOf(element, size)
	}
	if t != want {
		r.error(diag.InvalidEntryPoint, span, "the builtin value "+name+" is of type "+r.types.Name(want)+", found "+r.types.Name(t))
	}
}

// StructLocations checks the locations of a structure's members (WGSL §13.3.1.3).
func (r *Recorder) StructLocations(n *syntax.DeclNode, members []ir.Member) {
	located, blended := 0, [2]int{}
	var types [2]ir.Type
	first := int(n.Members.Start)
	for i := range members {
		io := &r.Interface[first+i]
		if !io.Located {
			continue
		}
		located++
		if io.Blended {
			blended[io.BlendSource&1]++
			types[io.BlendSource&1] = members[i].Type
			continue
		}
		for j := range i {
			if other := &r.Interface[first+j]; other.Located && !other.Blended && other.Location == io.Location {
				r.error(diag.InvalidEntryPoint, io.Span, "location "+strconv.Itoa(int(io.Location))+" is used twice", diag.Note{Span: other.Span, Message: "first here"})
			}
		}
	}
	if blended != [2]int{} && (blended != [2]int{1, 1} || located != 2 || types[0] != types[1]) {
		r.error(diag.InvalidEntryPoint, n.NameSpan, "dual source blending needs exactly two members with locations, @location(0) @blend_src(0) and @location(0) @blend_src(1), of one type")
	}
}
