package difftest

// Families of small programs, each biased to the constructs that one group of compiler passes
// rewrites. The generator of whole programs seldom combines the constants and shapes where those
// passes and the drivers' compilers go wrong. A family writes WGSL text; the evaluator of this
// package says what a program computes, and programs that are not well-defined are made again.

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Family makes programs of one kind, most of them small.
type Family struct {
	Name string
	Doc  string
	// write fills in a draft.
	write func(*draft)
	// program and cases replace write where a family does not write text.
	program func(seed uint64) *Program
	cases   func(seed uint64) *Case
}

// Families are all of them.
var Families = []Family{
	{Name: "arithmetic", Doc: "integer and float expressions of scalars and vectors, with operands known from constants, branches and selects", write: arithmetic},
	{Name: "tripcounts", Doc: "counted loops whose start, step and bound lie at the limits of 32-bit integers", write: tripCounts},
	{Name: "unrolling", Doc: "nests of short loops: private arrays indexed by counters, loop-carried sign changes and swaps", write: unrolling},
	{Name: "divergence", Doc: "branches, switches, loops and calls in which the invocations of a workgroup diverge", write: divergence},
	{Name: "contention", Doc: "loops that end by what atomics hold, inside uniform loops", write: contention},
	{Name: "aggregates", Doc: "variables whose parts are stored as constants and indexed dynamically", write: aggregates},
	{Name: "pointers", Doc: "pointers of every address space, passed through functions to parts of variables", write: pointers},
	{Name: "rounding", Doc: "sums and products of f32 whose results are rounding errors, and chains of constant operands", cases: rounding},
	{Name: "coarsening", Doc: "kernels in which each invocation computes one item of a grid", write: coarsening},
	{Name: "pipelining", Doc: "loops that stage tiles in workgroup memory between barriers", write: pipelining},
	{Name: "bounds", Doc: "accesses indexed by the grid and by loop counters, in arrays just long enough or one element short", write: boundsChecks},
	{Name: "tiles", Doc: "tiles: products in loops, views, maps, reductions and control flow, all numbers exact", cases: tilePrograms},
	{Name: "workgroups", Doc: "whole programs with workgroups of several blocks of lanes, some of them inactive", program: Workgroups},
}

// Reducible reports whether the family's programs are trees, which Reduce makes smaller.
func (f *Family) Reducible() bool { return f.cases == nil }

// Program makes the program of a seed of a reducible family.
func (f *Family) Program(seed uint64) *Program {
	p, _ := f.make(seed)
	return p
}

// Case makes the program of a seed with its inputs and results.
func (f *Family) Case(seed uint64) *Case {
	_, c := f.make(seed)
	return c
}

func (f *Family) make(seed uint64) (*Program, *Case) {
	if f.cases != nil {
		return nil, f.cases(seed)
	}
	if f.program != nil {
		p := f.program(seed)
		c, err := p.Case()
		if err != nil {
			panic(err) // the generator has run it
		}
		return p, c
	}
	for attempt := uint64(0); ; attempt++ {
		p := f.draft(seed, attempt)
		if c, err := p.Case(); err == nil && c.writes() {
			return p, c
		}
	}
}

func (f *Family) draft(seed, attempt uint64) *Program {
	d := newDraft(fmt.Sprintf("%s-%d", f.Name, seed), rand.New(rand.NewPCG(seed, attempt<<16+uint64(len(f.Doc)))))
	d.seed = seed
	f.write(d)
	return d.finish()
}

// draft is the text of a program in the making, with the contents of its resources.
type draft struct {
	r    *rand.Rand
	name string
	seed uint64
	// module is text at module scope, head what the entry point begins with, body the rest of it.
	module, head, body strings.Builder
	size, groups       [3]int
	data               map[string][]byte // of resources by name
	immediates         []byte
	robust             bool // accesses out of bounds are clamped
	anyOrder           bool // atomics' results do not depend on the order of invocations
	names              int
	// adjust changes the parsed program.
	adjust func(*Program)
}

func newDraft(name string, r *rand.Rand) *draft {
	return &draft{r: r, name: name, size: [3]int{1, 1, 1}, groups: [3]int{1, 1, 1}, data: map[string][]byte{}}
}

func (d *draft) chance(of int) bool { return d.r.IntN(of) == 0 }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// line appends a line to the entry point's body. A format without verbs may leave its arguments.
func (d *draft) line(format string, args ...any) {
	if !strings.Contains(format, "%") {
		args = nil
	}
	fmt.Fprintf(&d.body, format+"\n", args...)
}

// fresh returns a new name.
func (d *draft) fresh(prefix string) string {
	d.names++
	return fmt.Sprintf("%s%d", prefix, d.names)
}

// within returns what a function appends to the body, and takes it from there.
func (d *draft) within(write func()) string {
	before := d.body.String()
	d.body.Reset()
	write()
	text := d.body.String()
	d.body.Reset()
	d.body.WriteString(before)
	return text
}

// buffers declares the output o of n words and the input d.
func (d *draft) buffers(n int, input []uint32) {
	d.module.WriteString("@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@group(0) @binding(1) var<storage, read> d: array<u32>;\n")
	d.data["o"], d.data["d"] = make([]byte, 4*n), bytesOf(input)
}

const entryParameters = "@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(global_invocation_id) id: vec3u, " +
	"@builtin(local_invocation_index) lane: u32, @builtin(num_workgroups) groups: vec3u"

// finish parses the program.
func (d *draft) finish() *Program {
	p := parse(fmt.Sprintf("%s@compute @workgroup_size(%d, %d, %d) fn main(%s) {\n%s%s}\n",
		d.module.String(), d.size[0], d.size[1], d.size[2], entryParameters, d.head.String(), d.body.String()))
	p.Name, p.Seed, p.Dispatch, p.Robust, p.AnyOrder, p.Immediates = d.name, d.seed, d.groups, d.robust, d.anyOrder, d.immediates
	for _, v := range p.Globals {
		v.Data = d.data[v.Name]
	}
	if d.adjust != nil {
		d.adjust(p)
	}
	return p
}

func bytesOf(words []uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// edges are values around which 32-bit arithmetic changes, and small ones.
var edges = []uint32{0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 64, 100, 0x100, 0xffff, 0x10000, 0x3fffffff, 0x40000000, 0x55555555,
	0x7ffffff0, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x80000003, 0x80000010, 0xaaaaaaaa, 0xc0000000, 0xc0000001,
	0xfffffff0, 0xfffffff8, 0xfffffffd, 0xfffffffe, 0xffffffff}

func edge(r *rand.Rand) uint32 {
	if r.IntN(5) == 0 {
		return r.Uint32()
	}
	return pick(r, edges)
}

// edgeWords are n of them.
func edgeWords(r *rand.Rand, n int) (list []uint32) {
	for range n {
		list = append(list, edge(r))
	}
	return list
}

// numeral writes a literal of type u32 or i32.
func numeral(signed bool, v uint32) string {
	if !signed {
		return fmt.Sprintf("%du", v)
	}
	if int32(v) < 0 {
		return fmt.Sprintf("(%di)", int32(v))
	}
	return fmt.Sprintf("%di", v)
}

// comparisons are the operators that compare.
var comparisons = []string{"<", "<=", ">", ">=", "!=", "=="}

// small makes a case of one invocation from the body of an entry point, the contents of d, which it
// reads, and those of o afterwards.
func small(name string, seed uint64, declarations, body string, d, o []uint32) *Case {
	code := "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" +
		"@group(0) @binding(1) var<storage, read> d: array<u32>;\n" + declarations +
		"@compute @workgroup_size(1)\nfn main() {\n" + body + "}\n"
	return &Case{Name: fmt.Sprintf("%s-%d", name, seed), Code: code, Entry: "main", Dispatch: [3]int{1, 1, 1},
		Bindings: []Binding{
			{Name: "o", Kind: "storage", Data: make([]byte, 4*len(o)), Want: bytesOf(o)},
			{Binding: 1, Name: "d", Kind: "read-only-storage", Data: bytesOf(d), Want: bytesOf(d)},
		}}
}
