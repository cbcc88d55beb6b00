package msl

import (
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file passes the module's variables to functions as parameters. Metal has no variables at
// module scope but constants. A function gets the variables that it or its callees use. They have
// the same names everywhere, so that an lvalue has the same text in all functions.

// spaceWords are the address spaces in types and in the names of helpers.
type spaceWords struct {
	word, name string
}

var spaces = [...]spaceWords{
	ir.Storage: {"device", "device"}, ir.Uniform: {"constant", "constant"}, ir.Immediate: {"constant", "constant"},
	ir.Constant: {"constant", "constant"}, ir.Workgroup: {"threadgroup", "threadgroup"},
	ir.Private: {"thread", "thread"}, ir.Function: {"thread", "thread"},
}

// What functions are passed besides variables, each with a separate name.
const (
	sharedStruct  = iota // workgroup memory
	privateStruct        // private variables
	lengthTable          // how many elements runtime-sized arrays have
	passedCount
)

// needs lists the resources that a function uses, directly or through its callees.
type needs struct {
	globals []bool // by variable: buffers, immediates, textures and samplers
	passed  [passedCount]bool
	calls   []uint32
}

// findNeeds fills w.needs.
func (w *emitter) findNeeds() {
	m := w.M
	w.needs = make([]needs, len(m.Funcs))
	for n, f := range m.Funcs {
		x := &w.needs[n]
		x.globals = make([]bool, len(m.Globals))
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.Call {
				x.calls = append(x.calls, f.Aux(i))
			}
			if f.Op(i) == op.ArrayLength {
				x.passed[lengthTable] = true
			}
			for _, a := range f.Args(i) {
				if a.IsGlobal() {
					switch m.SpaceOf(m.Globals[a.Index()].Type) {
					case ir.Workgroup:
						x.passed[sharedStruct] = true
					case ir.Private:
						x.passed[privateStruct] = true
					case ir.Constant:
					default:
						x.globals[a.Index()] = true
					}
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for n := range w.needs {
			x := &w.needs[n]
			for _, callee := range x.calls {
				y := &w.needs[callee]
				for k, used := range y.globals {
					if used && !x.globals[k] {
						x.globals[k], changed = true, true
					}
				}
				for k, used := range y.passed {
					if used && !x.passed[k] {
						x.passed[k], changed = true, true
					}
				}
			}
		}
	}
}

// buffer returns the parameter for a buffer, the immediates, a texture or a sampler.
func (w *emitter) buffer(n int) string {
	m := w.M
	g := &m.Globals[n]
	t := m.Element(g.Type)
	if m.SpaceOf(g.Type) == ir.Handle {
		return w.typeName(t) + " " + w.globalNames[n]
	}
	word := spaces[m.SpaceOf(g.Type)].word
	if m.SpaceOf(g.Type) == ir.Storage && m.AccessOf(g.Type) == ir.Read {
		word = "device const"
	}
	if m.IsRuntimeArray(t) {
		return word + " " + w.element(t) + "* " + w.globalNames[n]
	}
	return word + " " + w.inMemory(t, m.Align(t)).name + "& " + w.globalNames[n]
}

// parameter returns the parameter for a kind of other data.
func (w *emitter) parameter(k int) string {
	switch k {
	case sharedStruct:
		return "threadgroup " + w.structNames[k] + "& " + w.passedNames[k]
	case privateStruct:
		return "thread " + w.structNames[k] + "& " + w.passedNames[k]
	}
	return "constant uint* " + w.passedNames[k]
}

// passedParameters appends the parameters of a function for the module's variables.
func (w *emitter) passedParameters(list []string, n int) []string {
	x := &w.needs[n]
	for k, used := range x.globals {
		if used {
			list = append(list, w.buffer(k))
		}
	}
	for k, used := range x.passed {
		if used {
			list = append(list, w.parameter(k))
		}
	}
	return list
}

// passedArguments appends the arguments of a call for the module's variables.
func (w *emitter) passedArguments(list []string, n int) []string {
	x := &w.needs[n]
	for k, used := range x.globals {
		if used {
			list = append(list, w.globalNames[k])
		}
	}
	for k, used := range x.passed {
		if used {
			list = append(list, w.passedNames[k])
		}
	}
	return list
}

// limits are the greatest numbers of buffers, textures and samplers of a kernel (Metal Feature Set
// Tables, devices since Apple's fourth family).
var limits = [...]struct {
	word  string
	count int
}{{"buffer", 31}, {"texture", 96}, {"sampler", 16}}

const (
	bufferLimit = iota
	textureLimit
	samplerLimit
)

// kernelParameters lists the resources of the kernel. Buffers come first, in the order of the
// description's bindings, then immediates, then the table of lengths. Textures and samplers follow,
// each numbered in the order of the description's handles, and then workgroup memory.
func (w *emitter) kernelParameters(n int) (list []string) {
	m, info := w.M, w.e.Info
	var counts [len(limits)]int
	number := func(kind int, parameter string) {
		list = append(list, parameter+" [["+limits[kind].word+"("+strconv.Itoa(counts[kind])+")]]")
		counts[kind]++
	}
	add := func(parameter string) { number(bufferLimit, parameter) }
	for _, v := range w.e.Bindings {
		add(w.buffer(int(v.Index())))
	}
	for k := range m.Globals {
		if m.SpaceOf(m.Globals[k].Type) == ir.Immediate && info.ImmediateBytes() > 0 {
			add(w.buffer(k))
		}
	}
	x := &w.needs[n]
	if x.passed[lengthTable] {
		info.Lengths = &abi.Lengths{Buffer: uint32(counts[bufferLimit])}
		for k := range info.Bindings {
			if info.Bindings[k].Stride != 0 {
				info.Lengths.Bindings = append(info.Lengths.Bindings, uint32(k))
			}
		}
		add(w.parameter(lengthTable))
	}
	for k := range info.Handles {
		h, kind := &info.Handles[k], samplerLimit
		if h.Texture != nil {
			kind = textureLimit
		}
		if n := w.handle(h); n >= 0 {
			number(kind, w.buffer(n))
		} else { // it is unused, but keeps its index
			counts[kind]++
		}
	}
	for kind, limit := range limits {
		if counts[kind] > limit.count {
			w.e.Context.List.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: w.e.Kernel.Span,
				Message: "target msl has " + strconv.Itoa(limit.count) + " " + limit.word + "s, and the kernel needs " + strconv.Itoa(counts[kind])})
		}
	}
	if x.passed[sharedStruct] {
		list = append(list, w.parameter(sharedStruct)+" [[threadgroup(0)]]")
	}
	return list
}

// handle returns the index of the variable for a texture or sampler of the description, or -1.
func (w *emitter) handle(h *abi.Handle) int {
	for n := range w.M.Globals {
		g := &w.M.Globals[n]
		if w.reached[n] && w.M.SpaceOf(g.Type) == ir.Handle && g.Group == h.Group && g.Binding == h.Binding {
			return n
		}
	}
	return -1
}

// length returns the element of the table of lengths that has a resource's element count. All
// resources with a runtime-sized array have one, in the order of the description's bindings.
func (w *emitter) length(v ir.Value) string {
	index := 0
	for k, binding := range w.e.Bindings {
		if binding == v {
			break
		}
		if w.e.Info.Bindings[k].Stride != 0 {
			index++
		}
	}
	return w.passedNames[lengthTable] + "[" + strconv.Itoa(index) + "]"
}

// declareStructs declares the structures of workgroup memory and of private variables.
func (w *emitter) declareStructs(n int) {
	m := w.M
	kinds := [...]struct {
		kind       int
		space      ir.Space
		name, hint string
	}{{sharedStruct, ir.Workgroup, "Shared", "shared"}, {privateStruct, ir.Private, "Private", "own"}}
	for _, k := range kinds {
		if !w.needs[n].passed[k.kind] {
			continue
		}
		w.structNames[k.kind] = w.globals.Always(k.name)
		w.passedNames[k.kind] = w.globals.Always(k.hint)
		text, end := "struct "+w.structNames[k.kind]+" {\n", uint32(0)
		for g := range m.Globals {
			t := m.Element(m.Globals[g].Type)
			if m.SpaceOf(m.Globals[g].Type) != k.space || !w.reached[g] {
				continue
			}
			name := w.typeName(t)
			if k.space == ir.Workgroup {
				p := w.inMemory(t, 16) // as C++ aligns it
				name = p.name
				end = (end+p.align-1)/p.align*p.align + p.size
			}
			text += "  " + name + " " + w.globalNames[g] + ";\n"
		}
		w.structs = append(w.structs, text+"};\n\n"...)
		if k.kind == sharedStruct {
			// MTLComputeCommandEncoder takes multiples of 16
			w.e.Info.WorkgroupBytes = (end + 15) / 16 * 16
		}
	}
	if w.needs[n].passed[lengthTable] {
		w.passedNames[lengthTable] = w.globals.Always("lengths")
	}
}
