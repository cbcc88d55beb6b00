package callgraph

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file computes summaries of functions from callees to callers, and checks recursion, aliased
// pointer arguments and stage restrictions with them.

// Check checks the program once all bodies have been recorded.
func (r *Recorder) Check() {
	for i := range r.functions {
		r.visit(int32(i))
	}
	r.joined = ir.Zeroed(r.joined, len(r.functions))
	for _, f := range r.info.Order {
		r.summarize(f)
	}
	r.checkElements()
	for i := range r.info.Functions {
		if r.info.Functions[i].Stage != sem.NoStage {
			r.entryPoint(int32(i))
		} else {
			r.noInterface(int32(i))
		}
	}
}

// visit appends a function to the topological order after its callees, and reports recursion.
func (r *Recorder) visit(f int32) {
	facts := &r.functions[f]
	if facts.state != 0 {
		return
	}
	facts.state = 1
	for i := facts.firstCall; i < facts.lastCall; i++ {
		site := r.info.CallSites[i]
		if r.functions[site.Callee].state == 1 {
			name := r.tree.Text(r.object(r.info.Functions[site.Callee].Object).Name)
			message := "the function `" + name + "` calls itself"
			if site.Callee != f {
				message += " through others"
			}
			r.error(diag.Recursion, site.Span, message, r.info.DeclaredHere(r.info.Functions[site.Callee].Object),
				diag.Note{Message: "WGSL has no recursion; write a loop with an array as its stack"})
			continue
		}
		r.visit(site.Callee)
	}
	r.functions[f].state = 2
	r.info.Order = append(r.info.Order, f)
}

// addObject adds an object to a small set.
func addObject(set []sem.Object, o sem.Object) []sem.Object {
	if slices.Contains(set, o) {
		return set
	}
	return append(set, o)
}

// summarize merges the summaries of callees into that of a function, and checks its calls for
// aliased arguments.
func (r *Recorder) summarize(f int32) {
	facts, info := &r.functions[f], &r.info.Functions[f]
	for _, u := range r.uses[facts.firstUse:facts.lastUse] {
		r.join(f, u.Object, u.Kind)
	}
	for i := facts.firstCall; i < facts.lastCall; i++ {
		site := &r.info.CallSites[i]
		callee := &r.functions[site.Callee]
		if r.joined[site.Callee] != f+1 {
			r.joined[site.Callee] = f + 1
			info.Calls = append(info.Calls, site.Callee)
			for _, g := range r.info.Functions[site.Callee].Globals {
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
			if facts.effect.name == "" {
				facts.effect = callee.effect
			}
		}
		r.checkAliases(f, site)
	}
	slices.Sort(info.Globals)
}

// join adds an access to the summary of a function.
func (r *Recorder) join(f int32, o sem.Object, kind AccessKind) {
	facts := &r.functions[f]
	object := r.object(o)
	if object.Kind == sem.ParameterObject {
		bit := uint64(1) << min(slices.Index(r.info.Functions[object.Function].Parameters, o), 63)
		switch kind {
		case Reading:
			facts.readParameters |= bit
		case Writing:
			facts.wroteThrough |= bit
		}
		return
	}
	switch kind {
	case Reading:
		facts.reads = addObject(facts.reads, o)
	case Writing:
		facts.writes = addObject(facts.writes, o)
	case Naming:
		g := int32(object.Value.Index())
		info := &r.info.Functions[f]
		if !slices.Contains(info.Globals, g) {
			info.Globals = append(info.Globals, g)
		}
	}
}

// checkAliases applies WGSL §11.4.2 to a call, and adds the accesses through its pointer arguments
// to the caller.
func (r *Recorder) checkAliases(f int32, site *sem.CallSite) {
	callee := &r.functions[site.Callee]
	parameters := r.info.Functions[site.Callee].Parameters
	for i := range parameters {
		if int(site.Roots)+i >= len(r.info.ArgumentRoots) {
			return
		}
		root := r.info.ArgumentRoots[int(site.Roots)+i]
		if root == 0 || !r.module.IsPointer(r.object(parameters[i]).Type) {
			continue
		}
		bit := uint64(1) << min(i, 63)
		if callee.readParameters&bit != 0 {
			r.join(f, root, Reading)
		}
		if callee.wroteThrough&bit != 0 {
			r.join(f, root, Writing)
		}
		for j := range i {
			other := uint64(1) << min(j, 63)
			touched := callee.wroteThrough | callee.readParameters
			if r.info.ArgumentRoots[int(site.Roots)+j] == root && callee.wroteThrough&(bit|other) != 0 && touched&bit != 0 && touched&other != 0 {
				r.error(diag.Aliasing, site.Span, "arguments "+strconv.Itoa(j+1)+" and "+strconv.Itoa(i+1)+" point into the same variable, and the function writes through one of them",
					r.info.DeclaredHere(root))
			}
		}
		if r.object(root).Kind != sem.GlobalObject {
			continue
		}
		wrote, read := callee.wroteThrough&bit != 0, callee.readParameters&bit != 0
		if wrote && (slices.Contains(callee.reads, root) || slices.Contains(callee.writes, root)) ||
			read && slices.Contains(callee.writes, root) {
			r.error(diag.Aliasing, site.Span, "argument "+strconv.Itoa(i+1)+" points to `"+r.tree.Text(r.object(root).Name)+"`, which the function also uses by its name, and one of them is written",
				r.info.DeclaredHere(root))
		}
	}
}

// workgroupBytes returns the size of workgroup variables in bytes, as far as it is known.
func (r *Recorder) workgroupBytes(globals []int32) uint64 {
	total := uint64(0)
	for _, g := range globals {
		if t := r.module.Globals[g].Type; r.module.SpaceOf(t) == ir.Workgroup {
			total += (uint64(r.module.Size(r.module.Element(t))) + 15) / 16 * 16
		}
	}
	return total
}
