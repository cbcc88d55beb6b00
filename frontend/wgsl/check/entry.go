package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks entry points (WGSL §13): stage attributes, workgroup sizes,
// and the interface of inputs and outputs.

// stage reads the stage attributes of a function.
func (c *Checker) stage(index int32, n *syntax.DeclNode, s attributeSet) {
	stage := semantics.NoStage
	failed := false
	for _, k := range [...]struct {
		a attribute
		s semantics.Stage
	}{{attributeCompute, semantics.Compute}, {attributeVertex, semantics.Vertex}, {attributeFragment, semantics.Fragment}} {
		failed = failed || s.failed[k.a]
		if s.at[k.a] == nil {
			continue
		}
		if stage != semantics.NoStage {
			c.error(diag.InvalidEntryPoint, s.span(k.a), "a function has one stage")
			failed = true
		}
		stage = k.s
	}
	if failed {
		return
	}
	c.info.Functions[index].Stage = stage
	size := s.at[attributeWorkgroupSize]
	switch {
	case size != nil && stage != semantics.Compute:
		c.error(diag.InvalidAttribute, size.Span, "@workgroup_size belongs on compute entry points")
		return
	case stage == semantics.Compute && !s.tried(attributeWorkgroupSize):
		c.error(diag.InvalidEntryPoint, n.NameSpan, "a compute entry point needs @workgroup_size(…)")
		return
	}
	if a := s.at[attributeSubgroupSize]; a != nil {
		if stage != semantics.Compute {
			c.error(diag.InvalidAttribute, a.Span, "@subgroup_size belongs on compute entry points")
		}
		c.subgroupSize(index, a)
	}
	if size != nil {
		c.workgroupSize(index, size)
	}
}

// subgroupSize checks @subgroup_size: a power of two. That it divides the
// workgroup's first dimension is checked when overrides have values.
func (c *Checker) subgroupSize(index int32, a *syntax.Attribute) {
	e := c.tree.ExprList(a.Arguments)[0]
	t := c.value(e)
	if t == ir.Void {
		return
	}
	span := c.tree.Expr(e).Span
	if !types.IsInteger(t) {
		c.error(diag.InvalidAttribute, span, "a subgroup size is an i32 or u32, found "+c.types.Name(t))
		return
	}
	c.concretize(e)
	v := c.info.Exprs[e].Value
	c.info.Functions[index].SubgroupSize, c.info.Functions[index].SubgroupSpan = v, a.Span
	if v == 0 {
		c.notConstant(e, "a subgroup size", true)
	} else if x, ok := c.module.ConstUint(v); v.IsConst() && (!ok || x == 0 || x&(x-1) != 0) {
		c.error(diag.InvalidAttribute, span, "a subgroup size is a positive power of two, found "+c.constText(v))
	}
}

// workgroupSize evaluates @workgroup_size: constants or overrides of one type.
func (c *Checker) workgroupSize(index int32, a *syntax.Attribute) {
	m := c.module
	arguments := c.tree.ExprList(a.Arguments)
	common := ir.AbstractInt
	ok := true
	for _, e := range arguments {
		t := c.value(e)
		switch {
		case t == ir.Void:
			ok = false
		case !types.IsInteger(t):
			c.error(diag.InvalidAttribute, c.tree.Expr(e).Span, "a workgroup size is an i32 or u32, found "+c.types.Name(t))
			ok = false
		case common == ir.AbstractInt:
			common = t
		case t != ir.AbstractInt && t != common:
			c.error(diag.InvalidAttribute, c.tree.Expr(e).Span, "the workgroup sizes have different types: "+c.types.Name(common)+" and "+c.types.Name(t))
			ok = false
		}
	}
	if !ok {
		return
	}
	limits := [3]uint32{c.limits.WorkgroupSizeX, c.limits.WorkgroupSizeY, c.limits.WorkgroupSizeZ}
	product := uint64(1)
	size := [3]ir.Value{m.ConstU32(1), m.ConstU32(1), m.ConstU32(1)}
	common = c.types.Concrete(common)
	for i, e := range arguments {
		c.convert(e, common)
		v := c.info.Exprs[e].Value
		span := c.tree.Expr(e).Span
		switch {
		case v == 0:
			c.notConstant(e, "a workgroup size", true)
		case v.IsConst():
			x, valid := m.ConstUint(v)
			if !valid || x == 0 {
				c.error(diag.InvalidAttribute, span, "a workgroup size is at least 1, found "+c.constText(v))
				return
			}
			if x > uint64(limits[i]) {
				c.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: span,
					Message: "the workgroup size " + itoa(x) + " is beyond " + itoa(uint64(limits[i])) + ", which is what every device supports in this dimension"})
			}
			product *= x
			size[i] = m.ConstU32(uint32(x))
		default:
			size[i] = v
		}
	}
	if product > uint64(c.limits.Invocations) {
		c.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: a.Span,
			Message: "the workgroup has " + itoa(product) + " invocations, and every device supports " + itoa(uint64(c.limits.Invocations))})
	}
	c.info.Functions[index].Workgroup = size
}

// ioScope collects what an entry point's inputs, or its outputs, have.
type ioScope struct {
	stage     semantics.Stage
	output    bool
	builtins  [32]source.Span
	locations []uint32
	spans     []source.Span
}

// entryPoint checks a function with a stage.
func (c *Checker) entryPoint(index int32) {
	f := &c.info.Functions[index]
	n := c.tree.Decl(f.Decl)
	in := ioScope{stage: f.Stage}
	fields := c.tree.FieldList(n.Parameters)
	for i := range fields {
		t := c.object(f.Parameters[i]).Type
		c.interfaceValue(&in, t, &c.io[int(n.Parameters.Start)+i], fields[i].NameSpan, func(member int, b uint8) {
			f.Builtins = append(f.Builtins, semantics.ParameterBuiltin{Parameter: i, Member: member, Builtin: builtinValues[b-1].value, Name: builtinValues[b-1].name})
		})
	}
	out := ioScope{stage: f.Stage, output: true}
	if n.Result != 0 {
		span := c.tree.Expr(n.Result).Span
		if f.Stage == semantics.Compute {
			c.error(diag.InvalidEntryPoint, span, "a compute entry point has no result")
		} else {
			c.interfaceValue(&out, f.Result, &c.functions[index].result, span, func(int, uint8) {})
		}
	}
	if f.Stage == semantics.Vertex && !out.builtins[c.builtinNumber("position")].Valid() {
		c.error(diag.InvalidEntryPoint, n.NameSpan, "a vertex entry point has the result @builtin(position)")
	}
	c.entryResources(index)
	if bytes := c.workgroupBytes(f.Globals); bytes > uint64(c.limits.WorkgroupStorage) {
		c.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: n.NameSpan,
			Message: "the entry point uses " + itoa(bytes) + " bytes of workgroup memory, and every device supports " + itoa(uint64(c.limits.WorkgroupStorage))})
	}
	facts := &c.functions[index]
	for i := range restrictionRows {
		row := &restrictionRows[i]
		if facts.restricted&row.flag != 0 && !row.stages[f.Stage] {
			r := &facts.restrictions[i]
			notes := []diag.Note{c.declaredHere(f.Object)}
			if other := explicitLevel[r.name]; other != "" {
				notes = append(notes, diag.Note{Message: other})
			}
			c.error(diag.InvalidEntryPoint, r.span, "`"+r.name+"` "+row.text+", and a "+f.Stage.String()+" entry point uses it", notes...)
		}
	}
}

// explicitLevel says what to call instead of the builtins that sample with a
// level of detail from derivatives.
var explicitLevel = map[string]string{
	"textureSample":        "its level of detail follows from neighbouring fragments; `textureSampleLevel` takes the level as an argument",
	"textureSampleBias":    "its level of detail follows from neighbouring fragments; `textureSampleLevel` takes the level as an argument",
	"textureSampleCompare": "its level of detail follows from neighbouring fragments; `textureSampleCompareLevel` samples level 0",
}

// noInterface checks that a function that is no entry point has no attributes of
// the interface.
func (c *Checker) noInterface(index int32) {
	f := &c.info.Functions[index]
	parameters := c.tree.Decl(f.Decl).Parameters
	for i := range parameters.Len {
		if io := &c.io[parameters.Start+i]; io.any() {
			c.error(diag.InvalidAttribute, io.span, "only the parameters of entry points have attributes of the interface")
		}
	}
	if io := &c.functions[index].result; io.any() {
		c.error(diag.InvalidAttribute, io.span, "only the results of entry points have attributes of the interface")
	}
}

func (c *Checker) builtinNumber(name string) int {
	for i := range builtinValues {
		if builtinValues[i].name == name {
			return i
		}
	}
	return -1
}

// interfaceValue checks a parameter or result: a value of the interface, or a
// structure of such.
func (c *Checker) interfaceValue(s *ioScope, t ir.Type, io *ioAttributes, span source.Span, found func(member int, builtin uint8)) {
	if t == ir.Void {
		return
	}
	m := c.module
	d := c.structDecl(t)
	if m.KindOf(t) != ir.StructType {
		if io.blended {
			c.error(diag.InvalidAttribute, io.span, "@blend_src belongs on the members of a structure")
			return
		}
		c.ioType(io, t, span)
		c.interfaceMember(s, t, io, span, func(b uint8) { found(-1, b) })
		return
	}
	if io.any() {
		c.error(diag.InvalidAttribute, io.span, "the attributes of the interface belong on the members of the structure "+c.types.Name(t))
		return
	}
	if d == 0 {
		c.error(diag.InvalidEntryPoint, span, "a "+c.types.Name(t)+" cannot be part of the interface")
		return
	}
	members := c.tree.Decl(d).Members
	for i, member := range m.Members(t) {
		at := int(members.Start) + i
		c.interfaceMember(s, member.Type, &c.io[at], c.tree.Fields[at].NameSpan, func(b uint8) { found(i, b) })
	}
}

func (c *Checker) interfaceMember(s *ioScope, t ir.Type, io *ioAttributes, span source.Span, found func(builtin uint8)) {
	m := c.module
	direction := "an input"
	if s.output {
		direction = "an output"
	}
	if io.builtin != 0 {
		v := &builtinValues[io.builtin-1]
		usable := false
		for _, u := range v.uses {
			usable = usable || u.stage == s.stage && u.output == s.output
		}
		switch {
		case !usable:
			c.error(diag.InvalidEntryPoint, io.span, "the builtin value "+v.name+" is not "+direction+" of "+s.stage.String()+" shaders")
		case s.builtins[io.builtin-1].Valid():
			c.error(diag.InvalidEntryPoint, io.span, "the builtin value "+v.name+" is "+direction+" twice", diag.Note{Span: s.builtins[io.builtin-1], Message: "first here"})
		default:
			s.builtins[io.builtin-1] = io.span
			found(io.builtin)
		}
		return
	}
	if io.failed {
		return
	}
	if !io.located {
		c.error(diag.InvalidEntryPoint, span, direction+" of an entry point needs @builtin(…) or @location(…)")
		return
	}
	if s.stage == semantics.Compute {
		c.error(diag.InvalidEntryPoint, io.span, "compute shaders have no user-defined inputs and outputs")
		return
	}
	k := m.ScalarOf(t)
	crossing := s.stage == semantics.Vertex && s.output || s.stage == semantics.Fragment && !s.output
	if crossing && k.IsInteger() && io.interpolation.kind != "flat" {
		c.error(diag.InvalidEntryPoint, span, "integers between vertex and fragment shaders need @interpolate(flat)")
		io.failed = true // a structure often serves both stages
	}
	if io.blended {
		if s.stage != semantics.Fragment || !s.output {
			c.error(diag.InvalidAttribute, io.span, "@blend_src belongs on outputs of fragment shaders")
		}
		return
	}
	for i, l := range s.locations {
		if l == io.location {
			c.error(diag.InvalidEntryPoint, io.span, "location "+itoa(uint64(l))+" is used twice", diag.Note{Span: s.spans[i], Message: "first here"})
		}
	}
	s.locations, s.spans = append(s.locations, io.location), append(s.spans, io.span)
}

// ioType checks that a parameter, result or member has a type that its attributes
// allow. Of a member that is a rule of the structure, whoever uses it (WGSL §12,
// location).
func (c *Checker) ioType(io *ioAttributes, t ir.Type, span source.Span) {
	if t == ir.Void {
		return
	}
	m := c.module
	switch {
	case io.builtin != 0:
		v := &builtinValues[io.builtin-1]
		c.builtinType(v.name, v.typ, v.size, t, span)
	case io.located && (m.Components(t) == 0 || !m.ScalarOf(t).IsNumeric()):
		c.error(diag.InvalidEntryPoint, span, "inputs and outputs are numeric scalars and vectors, found "+c.types.Name(t))
		io.failed = true
	}
}

// builtinType checks the type of a builtin value.
func (c *Checker) builtinType(name string, element ir.Type, size int, t ir.Type, span source.Span) {
	m := c.module
	if element == ir.Void { // clip_distances
		n, ok := m.Count(t)
		if m.KindOf(t) != ir.ArrayType || m.Element(t) != ir.F32 || !ok || n > 8 {
			c.error(diag.InvalidEntryPoint, span, "the builtin value "+name+" is an array of at most 8 f32, found "+c.types.Name(t))
		}
		return
	}
	want := element
	if size > 1 {
		want = m.VectorOf(element, size)
	}
	if t != want {
		c.error(diag.InvalidEntryPoint, span, "the builtin value "+name+" is of type "+c.types.Name(want)+", found "+c.types.Name(t))
	}
}

// structLocations checks the locations of a structure's members (WGSL §13.3.1.3).
func (c *Checker) structLocations(n *syntax.DeclNode, members []ir.Member) {
	located, blended := 0, [2]int{}
	var types [2]ir.Type
	first := int(n.Members.Start)
	for i := range members {
		io := &c.io[first+i]
		if !io.located {
			continue
		}
		located++
		if io.blended {
			blended[io.blendSource&1]++
			types[io.blendSource&1] = members[i].Type
			continue
		}
		for j := range i {
			if other := &c.io[first+j]; other.located && !other.blended && other.location == io.location {
				c.error(diag.InvalidEntryPoint, io.span, "location "+itoa(uint64(io.location))+" is used twice", diag.Note{Span: other.span, Message: "first here"})
			}
		}
	}
	if blended != [2]int{} && (blended != [2]int{1, 1} || located != 2 || types[0] != types[1]) {
		c.error(diag.InvalidEntryPoint, n.NameSpan, "dual source blending needs exactly two members with locations, @location(0) @blend_src(0) and @location(0) @blend_src(1), of one type")
	}
}

// stageVariable checks that a stage can use a variable (WGSL §7.3).
func (c *Checker) stageVariable(stage semantics.Stage, g *ir.Global) bool {
	m := c.module
	switch space := m.SpaceOf(g.Type); {
	case space == ir.Workgroup:
		return stage == semantics.Compute
	case stage != semantics.Vertex:
		return true
	case space == ir.Storage:
		return m.AccessOf(g.Type) == ir.Read
	case space == ir.Handle:
		t := m.Element(g.Type)
		if m.KindOf(t) == ir.TextureType {
			shape := m.ShapeOf(t)
			return !shape.IsStorage() || m.AccessOf(t) == ir.Read
		}
	}
	return true
}

// entryResources checks the variables that an entry point uses.
func (c *Checker) entryResources(index int32) {
	m := c.module
	f := &c.info.Functions[index]
	for i, g := range f.Globals {
		a := &m.Globals[g]
		if !c.stageVariable(f.Stage, a) {
			c.error(diag.InvalidEntryPoint, a.Span, "the "+f.Stage.String()+" entry point `"+c.tree.Text(c.object(f.Object).Name)+"` uses the variable `"+a.Name+"`, which that stage cannot")
		}
		if m.SpaceOf(a.Type) == ir.Immediate {
			c.entryImmediate(f, i)
		}
		if !a.Bound {
			continue
		}
		for _, h := range f.Globals[:i] {
			b := &m.Globals[h]
			if b.Bound && a.Group == b.Group && a.Binding == b.Binding {
				c.error(diag.InvalidBinding, a.Span, "two resources of the entry point `"+c.tree.Text(c.object(f.Object).Name)+"` have @group("+itoa(uint64(a.Group))+") @binding("+itoa(uint64(a.Binding))+")",
					diag.Note{Span: b.Span, Message: "the other one"})
			}
		}
	}
}

// entryImmediate checks an immediate that an entry point uses: it is the only one,
// and not large.
func (c *Checker) entryImmediate(f *semantics.FunctionInfo, i int) {
	m := c.module
	g := &m.Globals[f.Globals[i]]
	for _, h := range f.Globals[:i] {
		if other := &m.Globals[h]; m.SpaceOf(other.Type) == ir.Immediate {
			c.error(diag.InvalidEntryPoint, g.Span, "the entry point `"+c.tree.Text(c.object(f.Object).Name)+"` uses two variables in address space immediate, and one is allowed",
				diag.Note{Span: other.Span, Message: "the other one"})
			return
		}
	}
	if bytes := m.Size(m.Element(g.Type)); bytes > c.limits.Immediates {
		c.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: g.Span,
			Message: "`" + g.Name + "` takes " + itoa(uint64(bytes)) + " bytes of immediates, and every device supports " + itoa(uint64(c.limits.Immediates))})
	}
}
