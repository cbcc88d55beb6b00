package check

import (
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file looks at functions together: what each reads, writes and calls is
// collected while its body is checked, and afterwards passed from callees to
// callers. Recursion, aliased pointer arguments and what a stage may not use
// come out of that.

// accessKind is how memory is accessed.
type accessKind uint8

const (
	reading accessKind = iota
	writing
	naming // used at all
)

// use says that a function accesses a module variable or, through one of its
// pointer parameters, memory of its caller.
type use struct {
	object semantics.Object
	kind   accessKind
}

// functionFacts is what only the checker needs to know of a function.
type functionFacts struct {
	firstUse, lastUse   int32
	firstCall, lastCall int32
	result              ioAttributes
	mustUse             bool
	state               uint8 // of the depth-first search
	// restricted are the stage restrictions of what it does, and where.
	restricted     semantics.BuiltinFlags
	restrictions   [len(restrictionRows)]restriction
	reads, writes  []semantics.Object // module variables, with those of callees
	readParameters uint64             // pointer parameters read through
	wroteThrough   uint64             // and written through
}

// restriction is where a function does what only some stages allow.
type restriction struct {
	span source.Span
	name string
}

// restrictionRows are the kinds of restriction and the stages they leave.
var restrictionRows = [...]struct {
	flag   semantics.BuiltinFlags
	stages [semantics.Fragment + 1]bool
	text   string
}{
	{semantics.FragmentOnly, [...]bool{semantics.Compute: false, semantics.Vertex: false, semantics.Fragment: true}, "is for fragment shaders"},
	{semantics.ComputeOnly, [...]bool{semantics.Compute: true, semantics.Vertex: false, semantics.Fragment: false}, "is for compute shaders"},
	{semantics.NotVertex, [...]bool{semantics.Compute: true, semantics.Vertex: false, semantics.Fragment: true}, "is not for vertex shaders"},
}

const restrictionFlags = semantics.FragmentOnly | semantics.ComputeOnly | semantics.NotVertex

// access notes that the memory an expression refers to, or points to, is read or
// written.
func (c *Checker) access(e syntax.Expr, kind accessKind) {
	if c.function < 0 {
		return
	}
	if root := c.info.RootOf(e); root != 0 {
		c.note(root, kind)
	}
}

func (c *Checker) note(o semantics.Object, kind accessKind) {
	if k := c.object(o).Kind; k != semantics.GlobalObject && k != semantics.ParameterObject {
		return
	}
	f := &c.facts[o]
	stamp := [...]*int32{reading: &f.readBy, writing: &f.writtenBy, naming: &f.usedBy}[kind]
	if *stamp == c.function+1 {
		return
	}
	*stamp = c.function + 1
	c.uses = append(c.uses, use{o, kind})
}

// use notes that the function uses a module variable.
func (c *Checker) use(o semantics.Object) {
	if c.function >= 0 {
		c.note(o, naming)
	}
}

// recordCall notes a call for the call graph.
func (c *Checker) recordCall(span source.Span, callee int32, arguments []syntax.Expr) {
	if c.function < 0 {
		return
	}
	c.info.CallSites = append(c.info.CallSites, semantics.CallSite{Caller: c.function, Callee: callee, Span: span, Roots: int32(len(c.info.ArgumentRoots))})
	for _, a := range arguments {
		root := semantics.Object(0)
		if c.module.IsPointer(c.info.Exprs[a].Type) && !c.info.Exprs[a].Reference {
			root = c.info.RootOf(a)
		}
		c.info.ArgumentRoots = append(c.info.ArgumentRoots, root)
	}
}

// useBuiltin notes what calling a builtin asks of the stage and does to memory.
func (c *Checker) useBuiltin(row uint16, span source.Span, arguments []syntax.Expr) {
	b := &semantics.Builtins[row]
	c.useStage(b.Flags&restrictionFlags, span, b.Name)
	if b.Flags&semantics.Uniform != 0 {
		scope := semantics.WorkgroupScope
		if b.Flags&semantics.NeedsSubgroups != 0 {
			scope = semantics.SubgroupScope
		}
		c.info.Collective[scope] = true
	}
	if len(arguments) == 0 || c.info.Exprs[arguments[0]].Reference || !c.module.IsPointer(c.info.Exprs[arguments[0]].Type) {
		return
	}
	switch {
	case b.Op == op.ArrayLength || b.Op == op.View: // say where it is, and leave it alone
	case b.Op == op.AtomicLoad || b.Expansion == semantics.ExpandUniformLoad:
		c.access(arguments[0], reading)
	case b.Op == op.AtomicStore:
		c.access(arguments[0], writing)
	default:
		c.access(arguments[0], reading)
		c.access(arguments[0], writing)
	}
}

// useStage notes that the function does what only some stages allow.
func (c *Checker) useStage(flags semantics.BuiltinFlags, span source.Span, name string) {
	if flags == 0 || c.function < 0 {
		return
	}
	f := &c.functions[c.function]
	for i := range restrictionRows {
		if restrictionRows[i].flag&flags&^f.restricted != 0 {
			f.restrictions[i] = restriction{span, name}
		}
	}
	f.restricted |= flags
}

// program checks what concerns several functions.
func (c *Checker) program() {
	for i := range c.functions {
		c.visit(int32(i))
	}
	for _, f := range c.info.Order {
		c.summarize(f)
	}
	for i := range c.info.Functions {
		if c.info.Functions[i].Stage != semantics.NoStage {
			c.entryPoint(int32(i))
		} else {
			c.noInterface(int32(i))
		}
	}
	c.checkViewed()
	if c.list.Errors() == 0 {
		c.uniform.Analyze(&c.info, c.list)
	}
}

// visit puts the functions into an order in which callees come first, and
// reports recursion.
func (c *Checker) visit(f int32) {
	facts := &c.functions[f]
	if facts.state != 0 {
		return
	}
	facts.state = 1
	for i := facts.firstCall; i < facts.lastCall; i++ {
		site := c.info.CallSites[i]
		if c.functions[site.Callee].state == 1 {
			name := c.tree.Text(c.object(c.info.Functions[site.Callee].Object).Name)
			message := "the function `" + name + "` calls itself"
			if site.Callee != f {
				message += " through others"
			}
			c.error(diag.Recursion, site.Span, message, c.declaredHere(c.info.Functions[site.Callee].Object))
			continue
		}
		c.visit(site.Callee)
	}
	c.functions[f].state = 2
	c.info.Order = append(c.info.Order, f)
}

// addObject adds an object to a set that is kept as a short list.
func addObject(set []semantics.Object, o semantics.Object) []semantics.Object {
	if slices.Contains(set, o) {
		return set
	}
	return append(set, o)
}

// summarize joins what a function does with what its callees do, and checks its
// calls for aliased arguments.
func (c *Checker) summarize(f int32) {
	facts, info := &c.functions[f], &c.info.Functions[f]
	for _, u := range c.uses[facts.firstUse:facts.lastUse] {
		c.join(f, u.object, u.kind)
	}
	for i := facts.firstCall; i < facts.lastCall; i++ {
		site := &c.info.CallSites[i]
		callee := &c.functions[site.Callee]
		if !slices.Contains(info.Calls, site.Callee) {
			info.Calls = append(info.Calls, site.Callee)
			for _, g := range c.info.Functions[site.Callee].Globals {
				if !slices.Contains(info.Globals, g) {
					info.Globals = append(info.Globals, g)
				}
			}
			for _, o := range callee.reads {
				facts.reads = addObject(facts.reads, o)
			}
			for _, o := range callee.writes {
				facts.writes = addObject(facts.writes, o)
			}
			if more := callee.restricted &^ facts.restricted; more != 0 {
				for k := range restrictionRows {
					if restrictionRows[k].flag&more != 0 {
						facts.restrictions[k] = callee.restrictions[k]
					}
				}
				facts.restricted |= more
			}
		}
		c.checkAliases(f, site)
	}
	slices.Sort(info.Globals)
}

// join adds one access to a function's summary.
func (c *Checker) join(f int32, o semantics.Object, kind accessKind) {
	facts := &c.functions[f]
	object := c.object(o)
	if object.Kind == semantics.ParameterObject {
		bit := uint64(1) << min(c.facts[o].parameter, 63)
		switch kind {
		case reading:
			facts.readParameters |= bit
		case writing:
			facts.wroteThrough |= bit
		}
		return
	}
	switch kind {
	case reading:
		facts.reads = addObject(facts.reads, o)
	case writing:
		facts.writes = addObject(facts.writes, o)
	case naming:
		g := int32(object.Value.Index())
		info := &c.info.Functions[f]
		if !slices.Contains(info.Globals, g) {
			info.Globals = append(info.Globals, g)
			global := &c.module.Globals[g]
			if global.Init.IsOverride() {
				info.Checks = append(info.Checks, ir.Check{Value: global.Init})
			}
			info.Checks = append(info.Checks, c.sizeChecks(c.module.Element(global.Type))...)
		}
	}
}

// checkAliases applies the rules of WGSL §11.4.2 to a call, and passes on what
// the callee does through its pointer parameters.
func (c *Checker) checkAliases(f int32, site *semantics.CallSite) {
	callee := &c.functions[site.Callee]
	parameters := c.info.Functions[site.Callee].Parameters
	for i := range parameters {
		if int(site.Roots)+i >= len(c.info.ArgumentRoots) {
			return
		}
		root := c.info.ArgumentRoots[int(site.Roots)+i]
		if root == 0 || !c.module.IsPointer(c.object(parameters[i]).Type) {
			continue
		}
		bit := uint64(1) << min(i, 63)
		if callee.readParameters&bit != 0 {
			c.join(f, root, reading)
		}
		if callee.wroteThrough&bit != 0 {
			c.join(f, root, writing)
		}
		for j := range i {
			other := uint64(1) << min(j, 63)
			touched := callee.wroteThrough | callee.readParameters
			if c.info.ArgumentRoots[int(site.Roots)+j] == root && callee.wroteThrough&(bit|other) != 0 && touched&bit != 0 && touched&other != 0 {
				c.error(diag.Aliasing, site.Span, "arguments "+itoa(uint64(j+1))+" and "+itoa(uint64(i+1))+" point into the same variable, and the function writes through one of them",
					c.declaredHere(root))
			}
		}
		if c.object(root).Kind != semantics.GlobalObject {
			continue
		}
		wrote, read := callee.wroteThrough&bit != 0, callee.readParameters&bit != 0
		if wrote && (slices.Contains(callee.reads, root) || slices.Contains(callee.writes, root)) ||
			read && slices.Contains(callee.writes, root) {
			c.error(diag.Aliasing, site.Span, "argument "+itoa(uint64(i+1))+" points to `"+c.tree.Text(c.object(root).Name)+"`, which the function also uses by its name, and one of them is written",
				c.declaredHere(root))
		}
	}
}

// workgroupBytes returns the workgroup memory of variables, as far as it is
// known.
func (c *Checker) workgroupBytes(globals []int32) uint64 {
	total := uint64(0)
	for _, g := range globals {
		if t := c.module.Globals[g].Type; c.module.SpaceOf(t) == ir.Workgroup {
			total += (uint64(c.module.Size(c.module.Element(t))) + 15) / 16 * 16
		}
	}
	return total
}
