package codegen

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Compile compiles one kernel of a module for a target. The module is not changed. An empty kernel
// name means the only kernel. The result is nil if an error is in the list.
//
// All occurrences of what a target cannot express are one diagnostic for the kernel. It is at the
// first occurrence, and its notes are the others.
//
// A panic inside gpuc is caught here and becomes a diagnostic that names the kernel and the target,
// and the result is nil.
func Compile(m *ir.Module, kernel string, t *Target, o *Options, list *diag.List) *abi.Artefact {
	list = diag.Some(list)
	if t == nil || t.Emit == nil {
		list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Message: "there is no target to compile for: it is nil or none that writes code",
			Notes: []diag.Note{{Message: "codegen/all has them: all.Lookup(\"spirv\")"}}})
		return nil
	}
	f := Kernel(m, kernel, list)
	if f == nil {
		return nil
	}
	if o == nil {
		o = new(Options)
	}
	c := o.Context
	if c == nil {
		c = new(opt.Context)
	}
	var own diag.List
	defer func() { joinRefusals(&own, list) }()
	defer diag.Recover(&own, f.Span, fmt.Sprintf("compiling kernel `%s` for %s", f.Name, t.Name), c.Forget)
	c.Borrow()
	variants := !o.NoOptimize && !o.Debug && !o.Bounds.Traps()
	var tensor func() *abi.Tensor
	if variants && o.Tensor && t.Tensor.Lower != nil && slices.ContainsFunc(m.Funcs, lower.HasTiles) {
		tensor = tensorBeside(c, m, f, t, o)
	}
	a := compile(c, m, f, t, o, variant{}, &own)
	if tensor != nil {
		if made := tensor(); a != nil && made != nil && made.Suits(&a.Kernel) {
			a.Tensor = made
		}
	}
	if a != nil && variants {
		if o.Coarse && t.Coarse != NotCoarse && !slices.ContainsFunc(m.Funcs, lower.HasTiles) {
			a.Coarse = coarse(c, m, f, t, o, a)
		}
	}
	c.Return()
	return a
}

// refusalNotes is the greatest number of further occurrences in a refusal.
const refusalNotes = 8

// joinRefusals adds the diagnostics of a compilation to a list. Those about what the target cannot
// express become one.
func joinRefusals(own, list *diag.List) {
	items := own.Items()
	var first *diag.Diagnostic
	more := 0
	for n := range items {
		d := &items[n]
		switch {
		case d.Code != diag.TargetUnsupported:
		case first == nil:
			first = d
		default:
			if more++; more <= refusalNotes {
				first.Notes = append(first.Notes, diag.Note{Span: d.Span, Message: d.Message})
			}
		}
	}
	if more > refusalNotes {
		first.Notes = append(first.Notes, diag.Note{Message: fmt.Sprintf("there are %d more occurrences", more-refusalNotes)})
	}
	for n := range items {
		if d := &items[n]; d.Code != diag.TargetUnsupported || d == first {
			list.Add(*d)
		}
	}
}

// Kernel finds a kernel by name, or the only one if the name is empty. Otherwise it reports an
// error that lists the kernels.
func Kernel(m *ir.Module, name string, list *diag.List) *ir.Func {
	list = diag.Some(list)
	if m == nil {
		list.Add(diag.Diagnostic{Code: diag.MissingEntryPoint, Message: "there is no program: the module is nil",
			Notes: []diag.Note{{Message: "frontend.Load returns nil where it has added errors to its list"}}})
		return nil
	}
	if f := m.Func(name); f != nil && f.Kernel {
		return f
	}
	kernels := m.Kernels()
	if name == "" && len(kernels) == 1 {
		return kernels[0]
	}
	known := ""
	for i, k := range kernels {
		if i > 0 {
			known += ", "
		}
		known += "`" + k.Name + "`"
	}
	for _, g := range m.Graphics {
		if g.Name == name || name == "" && len(kernels) == 0 {
			list.Add(diag.Diagnostic{Code: diag.NotCompute, Span: g.Span,
				Message: "`" + g.Name + "` is a " + g.Stage + " shader, and gpuc compiles compute shaders only"})
			return nil
		}
	}
	d := diag.Diagnostic{Code: diag.MissingEntryPoint, Message: "the program has no compute entry point `" + name + "`"}
	switch {
	case len(kernels) == 0:
		d.Message = "the program has no compute entry point"
		d.Notes = append(d.Notes, diag.Note{Message: "one is written `@compute @workgroup_size(64) fn main() { … }`"})
	case name == "":
		d.Message = "the program has several compute entry points; name one"
		d.Notes = append(d.Notes, diag.Note{Message: "they are " + known})
	default:
		d.Notes = append(d.Notes, diag.Note{Message: "its entry points are " + known})
	}
	list.Add(d)
	return nil
}

// compilation is the compilation of one kernel for a target. Its steps report errors to list, and
// say whether there were none.
type compilation struct {
	c    *opt.Context
	m    *ir.Module // a copy, with the kernel and what it reaches
	f    *ir.Func
	t    *Target
	o    *Options
	info *abi.Kernel
	list *diag.List
	variant
	errors int // in list before
}

// variant asks for a variant, if one of its fields is not nil, which is filled except for the
// artefact.
type variant struct {
	form   *abi.Coarse
	tensor *abi.Tensor
	// base is the target of the kernel that tensor is a variant of.
	base *Target
}

// compile compiles a kernel, or a variant of it; the result is nil if there is no such variant.
func compile(c *opt.Context, m *ir.Module, f *ir.Func, t *Target, o *Options, v variant, list *diag.List) *abi.Artefact {
	c.Math, c.Bounds, c.List, c.Survey, c.Subgroup = o.Math, o.Bounds, list, nil, t.subgroup()
	t.setFragments(c)
	c.CopyBytes, c.WorkgroupLimit, c.Tiles = 0, t.workgroupLimit(), c.Tiles[:0]
	if !o.Bounds.Traps() && !o.NoOptimize && !t.AsWritten && o.Math != MathStrict {
		c.CopyBytes = t.copyBytes()
	}
	if o.Report != nil {
		c.Survey = &o.Report.Survey
	}
	x := compilation{c: c, t: t, o: o, variant: v, list: list, errors: list.Errors()}
	if !x.prepare(m, f) || !x.runPasses() {
		return nil
	}
	return x.emit()
}

func (x *compilation) ok() bool { return x.list.Errors() == x.errors }

// prepare copies the kernel, binds overrides and describes the interface.
func (x *compilation) prepare(m *ir.Module, f *ir.Func) bool {
	end := x.c.Stage("copy the kernel")
	m, f = opt.Scratch[ir.Extractor](x.c, "codegen").Extract(m, f)
	x.m, x.f = m, f
	if !x.t.LargeBuffers {
		m.MaxBytes = 1 << 32
	}
	if f.IntPositions {
		m.MaxElements = 1<<31 - 1
	}
	end()
	end = x.c.Stage("bind overrides")
	limits := DeviceLimits
	if n := x.t.subgroup(); n != 0 {
		limits.Subgroup, limits.Of = [2]uint32{n, n}, x.t.Title()
	}
	bind(m, f, x.o.Settings, &limits, x.list)
	end()
	if x.t.Handles == "" {
		refuseHandles(m, x.t, x.list)
	}
	if !x.ok() {
		return false
	}
	end = x.c.Stage("describe the interface")
	x.info = describe(m, f)
	end()
	if x.o.Debug && x.t.Silent != "" {
		refuseMessages(m, x.t, x.list)
	}
	return x.ok()
}

// runPasses runs the target's pipeline.
func (x *compilation) runPasses() bool {
	c, m := x.c, x.m
	if c.Watch != nil {
		c.Watch(nil, m)
	}
	constructs := constructsOf(m)
	hasMaps := x.variant.tensor != nil && !x.hasDoubles()
	if hasMaps {
		constructs |= tensorMaps
	}
	if c.CopyBytes > 0 {
		constructs |= copying
	}
	if constructs&viewing != 0 {
		if checkMoved(m, x.list); !x.ok() {
			return false
		}
	}
	p := planOf(x.t, x.o.Bounds, x.o.NoOptimize, x.o.Debug, constructs, x.o.workarounds())
	holds := c.Run(m, p.prologue, ir.Initial)
	if !x.ok() {
		return false
	}
	if hasMaps && !x.lowerTensor(&holds) {
		return false
	}
	if x.form == nil {
		holds = c.Run(m, p.portable, holds)
	} else if holds = c.Run(m, x.t.large(), holds); !finishCoarse(c, m, x.f, x.t, x.info, x.form, &holds) {
		return false
	}
	if checkMoved(m, x.list); !x.ok() {
		return false
	}
	if holds = c.Run(m, p.lower, holds); !x.ok() {
		return false
	}
	x.t.mustHold(holds)
	end := c.Stage("verify")
	ir.Verify(m, x.list)
	end()
	if !x.ok() {
		panic("the IR does not verify: " + x.list.Items()[0].Message)
	}
	return true
}

// emit refuses what the target cannot express, and prints the code.
func (x *compilation) emit() *abi.Artefact {
	c, m, f, t, o, info := x.c, x.m, x.f, x.t, x.o, x.info
	if t.Unsupported != nil {
		unsupported(f, t, x.list)
	}
	if t.Intrinsic != nil {
		refuseIntrinsics(m, t, x.list)
	}
	if t.Kinds != 0 {
		checkKinds(m, t, x.list)
	}
	checkAtomics(m, t, x.list)
	e := &Emission{Context: c, Module: m, Kernel: f, Lines: o.Lines && !o.Strip, Strip: o.Strip, Excerpt: o.Excerpt, LinePosition: o.LinePosition, NoOptimize: o.NoOptimize, Workarounds: o.workarounds(), Info: info, Bindings: complete(m, f, info), Profile: t.Written()}
	if o.Strip {
		m.StripNames(f)
	}
	// such code is for one machine, whether the profile was chosen or not
	if p := e.Profile; t.Profile != nil || p != nil && p.Exact {
		info.Profile = p.Name
	}
	if checkProfile(t, f, info, c.Tiles, x.list); !x.ok() {
		return nil
	}
	if o.Report != nil {
		o.Report.Mix = mixOf(m, f)
	}
	end := c.Stage("emit")
	code := t.Emit(e)
	end()
	if !x.ok() {
		return nil
	}
	a := &abi.Artefact{Target: t.Name, Code: code, Kernel: *e.Info}
	if o.InMemory && t.InMemory {
		a.InMemory = abi.NewInMemory(m.Clone())
	}
	if o.ByValue && t.ByValue {
		end = c.Stage("emit with uniforms by value")
		a.ByValue = byValue(t, e)
		end()
	}
	return a
}

// byValue emits a kernel's variant that receives uniform buffers by value, or returns nil if none
// can be.
func byValue(t *Target, e *Emission) *abi.ByValue {
	isUniform := func(b abi.Binding) bool { return b.Access == abi.Uniform }
	if !slices.ContainsFunc(e.Info.Bindings, isUniform) {
		return nil
	}
	info := *e.Info // for the parameters of the variant
	e.Info, e.ByValue = &info, true
	code := t.Emit(e)
	isValue := func(p abi.Parameter) bool { return p.Kind == abi.ValueParameter }
	if !slices.ContainsFunc(info.Parameters, isValue) {
		return nil
	}
	return &abi.ByValue{Code: code, Parameters: info.Parameters}
}

// refuseHandles reports the textures and samplers of a kernel at their declarations, before any
// pass sees their operations.
func refuseHandles(m *ir.Module, t *Target, list *diag.List) {
	for i := range m.Globals {
		if g := &m.Globals[i]; m.SpaceOf(g.Type) == ir.Handle {
			d := diag.Diagnostic{Code: diag.TargetUnsupported, Span: g.Span,
				Message: fmt.Sprintf("target %s has no textures and samplers, found variable `%s`", t.Name, g.Name)}
			if t.NoHandles != "" {
				d.Notes = []diag.Note{{Message: t.NoHandles}}
			}
			list.Add(d)
		}
	}
}

// refuseMessages reports the messages of a kernel, for a target that cannot print.
func refuseMessages(m *ir.Module, t *Target, list *diag.List) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.Print {
				list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: f.SpanOf(i),
					Message: fmt.Sprintf("target %s cannot print: %s", t.Name, t.Silent),
					Notes:   []diag.Note{{Message: "without -debug the kernel compiles without it"}}})
			}
		}
	}
}

// unsupported reports the instructions that a target has no form for.
func unsupported(f *ir.Func, t *Target, list *diag.List) {
	var ops op.Set
	for o, reason := range t.Unsupported {
		if reason != "" {
			ops.Add(op.Op(o))
		}
	}
	if !f.Had(&ops) {
		return
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if reason := t.Unsupported[f.Op(i)]; reason != "" {
			list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: f.SpanOf(i),
				Message: fmt.Sprintf("target %s cannot express %s: %s", t.Name, f.Op(i), reason)})
		}
	}
}

// refuseIntrinsics reports the intrinsics that a target or its profile does not have.
func refuseIntrinsics(m *ir.Module, t *Target, list *diag.List) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) != op.Intrinsic {
				continue
			}
			id := op.IntrinsicID(f.Aux(i))
			if reason := t.Intrinsic(id, t.Written()); reason != "" {
				list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: f.SpanOf(i),
					Message: fmt.Sprintf("target %s cannot express %s: %s", t.Title(), id, reason)})
			}
		}
	}
}

// Limits are the limits of a kernel's workgroup.
type Limits struct {
	Workgroup      [3]uint32 // invocations by dimension
	Invocations    uint32    // in all
	WorkgroupBytes uint64    // of workgroup memory
	Immediates     uint32    // bytes
	Subgroup       [2]uint32 // the smallest and the largest size that a kernel can require
	Of             string    // the target, if it has one size of subgroups only
}

// WebLimits are the limits of every WebGPU device (WebGPU §3.6.2), with the subgroup sizes of
// gpuc's adapter. DeviceLimits are those that no device known to gpuc exceeds. A device's own
// limits are checked when the kernel is loaded.
var (
	WebLimits    = Limits{Workgroup: [3]uint32{256, 256, 64}, Invocations: 256, WorkgroupBytes: 16384, Immediates: 64, Subgroup: [2]uint32{4, 128}}
	DeviceLimits = Limits{Workgroup: [3]uint32{1024, 1024, 64}, Invocations: 1024, WorkgroupBytes: 1 << 20, Immediates: 128, Subgroup: [2]uint32{1, 128}}
)

// Passes lists the passes that run for every target, for `gpuc ir -passes` and `gpuc doc`.
var Passes = append(slices.Clone(opt.Passes), &instrument.LowerPrintf, &instrument.RemovePrintf, &instrument.LowerLaunchExtent, &instrument.LowerWholeLaunchExtent, &lower.Views, &lower.Tiles, &lower.PackedTiles, &lower.Fragments, &instrument.Trap)

// constructsOf returns the modes of a module: what it has that only the prologue knows.
func constructsOf(m *ir.Module) (constructs mode) {
	if hasViews(m) {
		constructs |= viewing
	}
	if slices.ContainsFunc(m.Funcs, lower.HasTiles) {
		constructs |= tiling
	}
	if m.HasFragments() {
		constructs |= fragmenting
	}
	return constructs
}

// hasViews reports whether a module has buffers without a type.
func hasViews(m *ir.Module) bool {
	return slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return m.IsBuffer(m.Element(g.Type)) })
}

// Prepare isolates a kernel in the module, which it changes, and binds its overrides, with the
// checks of WebGPU's pipeline creation. Buffers without a type get one. It returns nil if an error
// is in the list.
func Prepare(m *ir.Module, kernel string, settings []ir.Setting, limits *Limits, list *diag.List) *ir.Func {
	list = diag.Some(list)
	f := Kernel(m, kernel, list)
	if f == nil {
		return nil
	}
	if limits == nil {
		limits = new(Limits)
	}
	defer diag.Recover(list, f.Span, fmt.Sprintf("preparing kernel `%s`", f.Name), nil)
	ir.Isolate(m, f)
	errors := list.Errors()
	if bind(m, f, settings, limits, list); list.Errors() == errors && hasViews(m) {
		if checkMoved(m, list); list.Errors() == errors {
			(&opt.Context{List: list}).Run(m, viewPasses, ir.Initial)
		}
	}
	if list.Errors() > errors {
		return nil
	}
	return f
}

// bind binds the overrides of an isolated kernel and checks its workgroup.
func bind(m *ir.Module, f *ir.Func, settings []ir.Setting, limits *Limits, list *diag.List) {
	errors := list.Errors()
	ir.BindOverrides(m, settings, list)
	if list.Errors() > errors {
		return
	}
	total := uint64(1)
	for i, w := range f.Workgroup {
		n := scalar.ToInt64(m.ScalarOf(m.TypeOf(w)), m.ConstBits(w))
		if n < 1 || n > int64(limits.Workgroup[i]) {
			list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: f.Span, Message: fmt.Sprintf(
				"the workgroup size of `%s` in %c is %d; it must be between 1 and %d", f.Name, "xyz"[i], n, limits.Workgroup[i])})
			return
		}
		total *= uint64(n)
	}
	if total > uint64(limits.Invocations) {
		list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: f.Span, Message: fmt.Sprintf(
			"the workgroup of `%s` has %d invocations; at most %d are allowed", f.Name, total, limits.Invocations)})
	}
	subgroupSize(m, f, limits, list)
	immediates(m, f, limits.Immediates, list)
	bytes := workgroupBytes(m)
	if bytes > limits.WorkgroupBytes {
		list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: f.Span, Message: fmt.Sprintf(
			"`%s` uses %d bytes of workgroup memory; at most %d are allowed", f.Name, bytes, limits.WorkgroupBytes)})
	}
}

// subgroupSize checks the size that a kernel's subgroups must have (WGSL §12.11).
func subgroupSize(m *ir.Module, f *ir.Func, l *Limits, list *diag.List) {
	if f.SubgroupSize == ir.NoValue {
		return
	}
	d, limits := diag.Diagnostic{Span: f.SubgroupSpan}, l.Subgroup
	n := scalar.ToInt64(m.ScalarOf(m.TypeOf(f.SubgroupSize)), m.ConstBits(f.SubgroupSize))
	width := int64(m.ConstBits(f.Workgroup[0]))
	switch {
	case n < 1 || n&(n-1) != 0:
		d.Code, d.Message = diag.InvalidOverride, fmt.Sprintf("the subgroup size of `%s` is %d; it must be a power of two", f.Name, n)
	case limits[0] == limits[1] && n != int64(limits[0]):
		d.Code, d.Message = diag.TargetLimit, fmt.Sprintf("the subgroup size of `%s` is %d; subgroups of target %s have %d", f.Name, n, l.Of, limits[0])
	case n < int64(limits[0]) || n > int64(limits[1]):
		d.Code, d.Message = diag.TargetLimit, fmt.Sprintf("the subgroup size of `%s` is %d; it must be between %d and %d", f.Name, n, limits[0], limits[1])
	case width%n != 0:
		d.Code, d.Message = diag.InvalidOverride, fmt.Sprintf(
			"the workgroup size of `%s` in x is %d, which is no multiple of its subgroup size %d", f.Name, width, n)
	default:
		return
	}
	list.Add(d)
}

// immediates checks that a kernel uses at most one variable of immediates, within the limit.
func immediates(m *ir.Module, f *ir.Func, limit uint32, list *diag.List) {
	used := 0
	for i := range m.Globals {
		g := &m.Globals[i]
		if m.SpaceOf(g.Type) != ir.Immediate {
			continue
		}
		if used++; used > 1 {
			list.Add(diag.Diagnostic{Code: diag.InvalidEntryPoint, Span: g.Span, Message: fmt.Sprintf(
				"`%s` uses more than one variable of immediates", f.Name)})
		}
		if bytes := immediateBytes(m, m.Element(g.Type)); bytes > limit {
			list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: g.Span, Message: fmt.Sprintf(
				"`%s` has %d bytes of immediates; at most %d are allowed", g.Name, bytes, limit)})
		}
	}
}

// immediateBytes returns the bytes that a launch passes for a variable of immediates, in full
// words.
func immediateBytes(m *ir.Module, t ir.Type) uint32 { return uint32(aligned(uint64(m.Size(t)), 4)) }

// workgroupBytes returns the size of a module's workgroup variables, one after the other.
func workgroupBytes(m *ir.Module) (bytes uint64) {
	for i := range m.Globals {
		if t := m.Globals[i].Type; m.SpaceOf(t) == ir.Workgroup {
			bytes = aligned(bytes, uint64(m.Align(m.Element(t)))) + uint64(m.Size(m.Element(t)))
		}
	}
	return bytes
}

// aligned rounds up to a multiple.
func aligned(n, align uint64) uint64 { return (n + align - 1) / align * align }
