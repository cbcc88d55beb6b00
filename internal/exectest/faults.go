package exectest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// This file, faults_program.go and faults_generate.go make programs that access what lies outside
// of their variables, or guard the access so that they do not, and say which of it happens. Every
// program runs in one invocation. What it does is found by running the tree that it is printed
// from; nothing here knows of the compiler.

// FaultProgram is a program with what it does outside of its variables.
type FaultProgram struct {
	Source  string
	Buffers []Buffer
	// Faults are the accesses outside that happen, in their order, each place once.
	Faults []Fault
	// Discarded are as well the reads outside whose value is not used, because a select takes
	// another.
	Discarded []Fault
	// Unwritten are the places where workgroup memory is read that the program has
	// not written.
	Unwritten []FaultPlace
}

// FaultPlace is a place of the source: line and column are counted from 1, the
// length in bytes.
type FaultPlace struct{ Line, Column, Length int }

// Fault is an access outside of a variable or, without a name, of a value.
type Fault struct {
	FaultPlace
	Name     string
	Index    int64
	Elements uint32
}

// Message is what reports begin with.
func (f *Fault) Message() string {
	if f.Name == "" {
		return fmt.Sprintf("index %d is outside of a value with %d elements", f.Index, f.Elements)
	}
	return fmt.Sprintf("index %d is outside of the %d elements in %s", f.Index, f.Elements, f.Name)
}

// How a variable is written and what indexing it does.
const (
	inMemory   = iota // one access for all indices
	ofVectors         // the last index selects from a vector that is loaded whole
	asValue           // each index selects a part of a value
	withAtomic        // elements are atomic
)

// faultVariable is what programs access.
type faultVariable struct {
	name string
	// dims are the parts by index; a member stands between the first and the second.
	dims   []uint32
	member string
	kind   int
	// written says that programs may store to it; module that functions see it.
	written, module bool
	declaration     string
	// workgroup says that it is of workgroup memory, whose reads are reported before
	// a write.
	workgroup bool
}

// faultVariables hold element n of value n+1, but for memory that is zero.
var faultVariables = []faultVariable{
	{name: "rt", dims: []uint32{6}, written: true, module: true, declaration: "@group(0) @binding(1) var<storage, read_write> rt: array<u32>;"},
	{name: "st", dims: []uint32{5}, written: true, module: true, declaration: "@group(0) @binding(2) var<storage, read_write> st: array<u32, 5>;"},
	{name: "mat", dims: []uint32{2, 3}, written: true, module: true, declaration: "@group(0) @binding(3) var<storage, read_write> mat: array<array<u32, 3>, 2>;"},
	{name: "rec", dims: []uint32{3, 4}, member: ".v", written: true, module: true,
		declaration: "struct Rec { v: vec4<u32> }\n@group(0) @binding(4) var<storage, read_write> rec: array<Rec, 3>;"},
	{name: "un", dims: []uint32{3, 4}, module: true, declaration: "@group(0) @binding(5) var<uniform> un: array<vec4<u32>, 3>;"},
	{name: "ro", dims: []uint32{7}, module: true, declaration: "@group(0) @binding(6) var<storage, read> ro: array<u32>;"},
	{name: "at", dims: []uint32{4}, written: true, module: true, kind: withAtomic, declaration: "@group(0) @binding(7) var<storage, read_write> at: array<atomic<u32>, 4>;"},
	{name: "wg", dims: []uint32{7}, written: true, module: true, workgroup: true, declaration: "var<workgroup> wg: array<u32, 7>;"},
	{name: "wa", dims: []uint32{3}, written: true, module: true, kind: withAtomic, declaration: "var<workgroup> wa: array<atomic<u32>, 3>;"},
	{name: "pr", dims: []uint32{4}, written: true, module: true, declaration: "var<private> pr: array<u32, 4> = array(1, 2, 3, 4);"},
	{name: "pv", dims: []uint32{2, 3}, written: true, module: true, kind: ofVectors,
		declaration: "var<private> pv: array<vec3<u32>, 2> = array(vec3<u32>(1, 2, 3), vec3<u32>(4, 5, 6));"},
	{name: "ct", dims: []uint32{6}, module: true, kind: asValue, declaration: "const ct = array<u32, 6>(1, 2, 3, 4, 5, 6);"},
	{name: "cm", dims: []uint32{3, 2}, module: true, kind: asValue,
		declaration: "const cm = array<array<u32, 2>, 3>(array(1, 2), array(3, 4), array(5, 6));"},
	{name: "fa", dims: []uint32{5}, written: true, declaration: "var fa = array<u32, 5>(1, 2, 3, 4, 5);"},
	{name: "fm", dims: []uint32{2, 2}, written: true, declaration: "var fm = array<array<u32, 2>, 2>(array(1, 2), array(3, 4));"},
	{name: "fv", dims: []uint32{4}, written: true, kind: ofVectors, declaration: "var fv = vec4<u32>(1, 2, 3, 4);"},
	{name: "la", dims: []uint32{5}, kind: asValue, declaration: "let la = fa;"},
	{name: "lv", dims: []uint32{3}, kind: asValue, declaration: "let lv = vec3<u32>(1, ro[1], 3);"},
}

// faultInputs is how many numbers given has.
const faultInputs = 12

// GenerateFaults makes a program. Programs of a seed are the same everywhere.
func GenerateFaults(seed uint64) *FaultProgram {
	g := &faultGenerator{random: rand.New(rand.NewPCG(seed, 9)), accesses: 3 + int(seed%14)}
	for n := range g.inputs {
		g.inputs[n] = uint32(g.random.IntN(9))
		switch g.random.IntN(12) {
		case 0:
			g.inputs[n] = 1<<31 + uint32(g.random.IntN(3)) - 1
		case 1:
			g.inputs[n] = 1<<32 - 1 - uint32(g.random.IntN(2))
		}
	}
	body := g.statements(0)
	p := &FaultProgram{}
	w := &faultWriter{}
	w.text("@group(0) @binding(0) var<storage, read> given: array<u32, %d>;\n", faultInputs)
	w.text("@group(0) @binding(8) var<storage, read_write> out: array<u32, 1>;\n")
	for n := range faultVariables {
		if v := &faultVariables[n]; v.module {
			w.text("%s\n", v.declaration)
		}
	}
	for _, f := range g.functions {
		f.print(w)
	}
	w.text("@compute @workgroup_size(1) fn main() {\n  var acc = 0u;\n")
	for n := range faultVariables {
		if v := &faultVariables[n]; !v.module {
			w.text("  %s\n", v.declaration)
		}
	}
	for _, s := range body {
		s.print(w, "  ")
	}
	if g.random.IntN(3) > 0 { // else nobody wants what was read
		w.text("  out[0] = acc;\n")
	}
	w.text("}\n")
	p.Source = w.String()
	p.run(g, body)
	p.buffers(g)
	return p
}

// run finds what the program does.
func (p *FaultProgram) run(g *faultGenerator, body []faultStatement) {
	r := &faultRun{inputs: g.inputs[:], memory: map[string][]uint32{}, wrote: map[int]bool{}, variables: map[string]uint32{}}
	for n := range faultVariables {
		v := &faultVariables[n]
		r.memory[v.name] = initial(v)
	}
	r.memory["lv"][1] = r.memory["ro"][1]
	for _, s := range body {
		s.run(r)
	}
	for _, f := range r.faults {
		f.FaultPlace = p.place(f.FaultPlace)
		if !slices.ContainsFunc(p.Faults, func(known Fault) bool { return known.FaultPlace == f.FaultPlace }) {
			p.Faults = append(p.Faults, f)
		}
	}
	for _, f := range r.discarded {
		f.FaultPlace = p.place(f.FaultPlace)
		if !slices.ContainsFunc(p.Discarded, func(known Fault) bool { return known.FaultPlace == f.FaultPlace }) {
			p.Discarded = append(p.Discarded, f)
		}
	}
	for _, at := range r.unwritten {
		if at = p.place(at); !slices.Contains(p.Unwritten, at) {
			p.Unwritten = append(p.Unwritten, at)
		}
	}
}

// place turns an offset, which stands in Column, into line and column.
func (p *FaultProgram) place(at FaultPlace) FaultPlace {
	before := p.Source[:at.Column]
	line := strings.Count(before, "\n")
	return FaultPlace{line + 1, at.Column - strings.LastIndexByte(before, '\n'), at.Length}
}

// initial returns what a variable holds when the program begins: numbers from 1
// on, or zeros in workgroup memory.
func initial(v *faultVariable) []uint32 {
	total := uint32(1)
	for _, n := range v.dims {
		total *= n
	}
	words := make([]uint32, total)
	for n := range words {
		if v.name != "wg" && v.name != "wa" {
			words[n] = uint32(n) + 1
		}
	}
	return words
}

// buffers makes the contents of the resources.
func (p *FaultProgram) buffers(g *faultGenerator) {
	add := func(name string, words []uint32) {
		data := make([]byte, 4*len(words))
		for n, x := range words {
			binary.LittleEndian.PutUint32(data[4*n:], x)
		}
		p.Buffers = append(p.Buffers, Buffer{Name: name, Data: data})
	}
	add("given", g.inputs[:])
	add("out", make([]uint32, 1))
	for n := range faultVariables {
		if v := &faultVariables[n]; strings.HasPrefix(v.declaration, "@group") || strings.HasPrefix(v.declaration, "struct") {
			add(v.name, initial(v))
		}
	}
}
