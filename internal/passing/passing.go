// Package passing generates, for tests, WGSL programs that pass pointers to
// functions: every address space, what a pointer can name, how many functions hand
// it on, how often they are called, and how large they are. What a program leaves in
// its buffers is computed beside its text, by Go code that shares nothing with the
// compiler: a variable is a slice of words there.
package passing

import (
	"fmt"
	"strings"
)

// Options choose a program.
type Options struct {
	Space string // of Spaces
	Depth int    // how many functions hand the pointer on, 1 to 3
	Calls int    // for each pointer
	Large bool   // functions too large to be inlined wherever they are called
}

// Spaces are the address spaces of pointers, as their types begin.
var Spaces = []string{"function", "private", "workgroup", "uniform", "storage, read", "storage, read_write"}

// Name names a program.
func (o Options) Name() string {
	size := "small"
	if o.Large {
		size = "large"
	}
	return fmt.Sprintf("%s, %d deep, %d calls, %s", o.Space, o.Depth, o.Calls, size)
}

// Program is a kernel of one invocation.
type Program struct {
	Text    string
	Buffers []Buffer // in the order of group and binding
}

// Buffer is what a binding of group 0 holds, in words, before and after.
type Buffer struct {
	Binding      uint32
	Before, Want []uint32
}

// The bindings: what variables start with, or the buffer that is pointed into;
// results; indices that the compiler does not know; what variables end with; atomics.
const (
	data = iota
	results
	indices
	final
	counters
)

// words are the contents of variables: all of vectors of four words, as uniform
// buffers want it, but for the last member, which they do not have.
const (
	head       = 0
	list       = head + 4     // array<vec4<u32>, 4>
	grid       = list + 16    // array<array<vec4<u32>, 2>, 3>
	parts      = grid + 24    // array<T, 2>
	one        = parts + 2*16 // T
	few        = one + 16     // array<u32, 8>
	variable   = few + 8
	rest       = variable // a runtime-sized array<vec4<u32>>
	restLength = 5
)

const declarations = `struct T { p: vec4<u32>, q: array<vec4<u32>, 3> }
struct A { c: atomic<u32>, l: array<atomic<u32>, 4> }
struct S { head: vec4<u32>, list: array<vec4<u32>, 4>, grid: array<array<vec4<u32>, 2>, 3>, parts: array<T, 2>, one: T%s }
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<storage> index: array<u32>;
`

// way is a pointer: the variable, the steps to a part of it, where that begins, and
// the type behind each step.
type way struct {
	root  string
	steps []string
	types []string // of the root, and behind each step
	start int
}

// Indices that are not constant are i1 and i3, which are 1 and 3.
var ways = []way{
	{"x", nil, []string{"S"}, 0},
	{"x", []string{".head"}, []string{"S", vector}, head},
	{"x", []string{".list", "[2]"}, []string{"S", vectors4, vector}, list + 8},
	{"x", []string{".list", "[i3]"}, []string{"S", vectors4, vector}, list + 12},
	{"x", []string{".grid", "[i1]", "[1i]"}, []string{"S", "array<array<vec4<u32>, 2>, 3>", "array<vec4<u32>, 2>", vector}, grid + 12},
	{"x", []string{".grid", "[2]", "[i1]"}, []string{"S", "array<array<vec4<u32>, 2>, 3>", "array<vec4<u32>, 2>", vector}, grid + 20},
	{"x", []string{".parts", "[i1]"}, []string{"S", "array<T, 2>", "T"}, parts + 16},
	{"x", []string{".parts", "[0]", ".q"}, []string{"S", "array<T, 2>", "T", vectors3}, parts + 4},
	{"x", []string{".parts", "[i1]", ".q", "[i1]"}, []string{"S", "array<T, 2>", "T", vectors3, vector}, parts + 24},
	{"x", []string{".one"}, []string{"S", "T"}, one},
	{"x", []string{".one", ".p"}, []string{"S", "T", vector}, one},
}

var scalarWays = []way{
	{"x", []string{".few", "[6]"}, []string{"S", "array<u32, 8>", "u32"}, few + 6},
	{"x", []string{".few", "[i3]"}, []string{"S", "array<u32, 8>", "u32"}, few + 3},
}

var runtimeWays = []way{
	{"x", []string{".rest", "[i3]"}, []string{"S", "array<vec4<u32>>", vector}, rest + 12},
	{"x", []string{".rest"}, []string{"S", "array<vec4<u32>>"}, rest},
}

var atomicWays = []way{
	{"y", []string{".c"}, []string{"A", "atomic<u32>"}, 0},
	{"y", []string{".l", "[2]"}, []string{"A", "array<atomic<u32>, 4>", "atomic<u32>"}, 3},
	{"y", []string{".l", "[i3]"}, []string{"A", "array<atomic<u32>, 4>", "atomic<u32>"}, 4},
}

const (
	vector   = "vec4<u32>"
	vectors3 = "array<vec4<u32>, 3>"
	vectors4 = "array<vec4<u32>, 4>"
)

// body is what the last function does with a value of a type, for an invocation's
// number k: the statements that write, those that read, and both in Go.
type body struct {
	writes, reads string
	write, read   func(w []uint32, k uint32) uint32
}

var bodies = map[string]body{
	"u32": {
		"let r = *p; *p = r * 3u + k; return r + k;",
		"return *p + k;",
		func(w []uint32, k uint32) uint32 { r := w[0]; w[0] = r*3 + k; return r + k },
		func(w []uint32, k uint32) uint32 { return w[0] + k },
	},
	vector: {
		"let r = *p; (*p).y = r.x + k; *p = *p + r; return r.z + (*p).y;",
		"return (*p).z + p.y * 3u + k;",
		func(w []uint32, k uint32) uint32 {
			r := [4]uint32(w)
			w[1] = r[0] + k
			for n := range r {
				w[n] += r[n]
			}
			return r[2] + w[1]
		},
		func(w []uint32, k uint32) uint32 { return w[2] + w[1]*3 + k },
	},
	vectors3: {
		"let r = (*p)[k % 3u].x; (*p)[k % 3u] = (*p)[(k + 1u) % 3u]; (*p)[1].w += r; return r;",
		"let v = *p; return (*p)[k % 3u].x + v[2].w;",
		func(w []uint32, k uint32) uint32 {
			r := w[4*(k%3)]
			copy(w[4*(k%3):][:4], w[4*((k+1)%3):])
			w[7] += r
			return r
		},
		func(w []uint32, k uint32) uint32 { return w[4*(k%3)] + w[11] },
	},
	"T": {
		"let r = (*p).p.x; (*p).q[k % 3u].y = r + k; (*p).p = (*p).q[1]; return r;",
		"return (*p).p.x ^ (*p).q[k % 3u].y;",
		func(w []uint32, k uint32) uint32 {
			r := w[0]
			w[4+4*(k%3)+1] = r + k
			copy(w[:4], w[8:])
			return r
		},
		func(w []uint32, k uint32) uint32 { return w[0] ^ w[4+4*(k%3)+1] },
	},
	"S": {
		"let r = (*p).head.x; (*p).list[k % 4u] = (*p).head; (*p).head.x = r + k; return r;",
		"return (*p).head.x + (*p).list[k % 4u].y + k;",
		func(w []uint32, k uint32) uint32 {
			r := w[head]
			copy(w[list+4*(k%4):][:4], w[head:])
			w[head] = r + k
			return r
		},
		func(w []uint32, k uint32) uint32 { return w[head] + w[list+4*(k%4)+1] + k },
	},
	"array<vec4<u32>>": {
		"let m = arrayLength(p); let r = (*p)[k % m].x; (*p)[k % m].x = r + m; return r * m;",
		"let m = arrayLength(p); return (*p)[k % m].x * m;",
		func(w []uint32, k uint32) uint32 {
			r := w[4*(k%restLength)]
			w[4*(k%restLength)] = r + restLength
			return r * restLength
		},
		func(w []uint32, k uint32) uint32 { return w[4*(k%restLength)] * restLength },
	},
	"atomic<u32>": {
		writes: "return atomicAdd(p, k);",
		write:  func(w []uint32, k uint32) uint32 { r := w[0]; w[0] += k; return r },
	},
}

// filler makes functions large: a loop that scrambles k.
const filler = `  var k = n;
  for (var j = 0u; j < 3u; j++) {
    k = k * 1664525u + 1013904223u + j;
    if ((k & 4u) != 0u) { k ^= k >> 7u; } else { k += 77u; }
    if ((k & 8u) != 0u) { k ^= k << 5u; } else { k -= 3u; }
    if ((k & 64u) != 0u) { k = k * k + 1u; } else { k = ~k; }
  }
`

func scrambled(k uint32) uint32 {
	for j := range uint32(3) {
		k = k*1664525 + 1013904223 + j
		if k&4 != 0 {
			k ^= k >> 7
		} else {
			k += 77
		}
		if k&8 != 0 {
			k ^= k << 5
		} else {
			k -= 3
		}
		if k&64 != 0 {
			k = k*k + 1
		} else {
			k = ^k
		}
	}
	return k
}

// writer builds a program and computes what it does.
type writer struct {
	Options
	functions, calls strings.Builder
	memory           map[string][]uint32 // of the variables
	results          []uint32
	made             map[string]bool
}

// New returns a program.
func New(o Options) Program {
	w := &writer{Options: o, made: map[string]bool{}, memory: map[string][]uint32{"x": make([]uint32, rest+4*restLength), "y": make([]uint32, 5)}}
	x := w.memory["x"]
	for n := range x {
		x[n] = uint32(n)*0x01000193 ^ 0x5bd1e995
	}
	storage, buffer := strings.HasPrefix(o.Space, "storage"), o.Space == "uniform" || strings.HasPrefix(o.Space, "storage")
	all, more := ways, ", few: array<u32, 8>"
	switch {
	case storage:
		all, more = append(append(all[:len(all):len(all)], scalarWays...), runtimeWays...), more+", rest: array<vec4<u32>>"
	case o.Space == "uniform":
		x, more = x[:few], ""
	default:
		all, x = append(all[:len(all):len(all)], scalarWays...), x[:variable]
	}
	atomics := o.Space == "workgroup" || o.Space == "storage, read_write"
	if atomics {
		all = append(all[:len(all):len(all)], atomicWays...)
	}
	p := Program{Buffers: []Buffer{{Binding: data, Before: append([]uint32(nil), x...)}}}

	for n := range o.Calls {
		for at := range all {
			w.call(&all[at], at, uint32(n*7+at))
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, declarations, more)
	body := w.calls.String()
	switch {
	case buffer:
		fmt.Fprintf(&text, "@group(0) @binding(0) var<%s> x: S;\n", o.Space)
	case o.Space == "function":
		body = "  var x = given;\n" + body + "  last = x;\n"
	default:
		fmt.Fprintf(&text, "var<%s> x: S;\n", o.Space)
		body = "  x = given;\n" + body + "  last = x;\n"
	}
	if !buffer {
		text.WriteString("@group(0) @binding(0) var<storage> given: S;\n@group(0) @binding(3) var<storage, read_write> last: S;\n")
	}
	switch {
	case o.Space == "workgroup":
		text.WriteString("var<workgroup> y: A;\n@group(0) @binding(4) var<storage, read_write> counts: array<u32, 5>;\n")
		body += "  counts[0] = atomicLoad(&y.c);\n  for (var n = 0u; n < 4u; n++) { counts[n + 1] = atomicLoad(&y.l[n]); }\n"
	case atomics:
		text.WriteString("@group(0) @binding(4) var<storage, read_write> y: A;\n")
	}
	text.WriteString(w.functions.String())
	fmt.Fprintf(&text, "@compute @workgroup_size(1) fn main() {\n  let i1 = index[1]; let i3 = index[3];\n%s}\n", body)
	p.Text = text.String()

	if p.Buffers[data].Want = p.Buffers[data].Before; o.Space == "storage, read_write" {
		p.Buffers[data].Want = x
	}
	p.Buffers = append(p.Buffers,
		Buffer{results, make([]uint32, len(w.results)), w.results},
		Buffer{indices, []uint32{0, 1, 2, 3}, []uint32{0, 1, 2, 3}})
	if !buffer {
		p.Buffers = append(p.Buffers, Buffer{final, make([]uint32, len(x)), x})
	}
	if atomics {
		p.Buffers = append(p.Buffers, Buffer{counters, make([]uint32, 5), w.memory["y"]})
	}
	return p
}

// reads reports whether the space is read only.
func (w *writer) reads() bool { return w.Space == "uniform" || w.Space == "storage, read" }

// call writes a call with a pointer for number k, and does what it does.
func (w *writer) call(t *way, number int, k uint32) {
	name := w.function(t, number, 1)
	fmt.Fprintf(&w.calls, "  o[%d] = %s(&%s%s, %du, i1, i3);\n", len(w.results), name, t.root, strings.Join(t.steps[:w.taken(t, 1)], ""), k)
	for range w.Depth - 1 {
		if w.Large {
			k = scrambled(k)
		}
		k++
	}
	if w.Large {
		k = scrambled(k)
	}
	b := bodies[t.types[len(t.types)-1]]
	do := b.write
	if w.reads() {
		do = b.read
	}
	r := do(w.memory[t.root][t.start:], k)
	for range w.Depth - 1 {
		r ^= 5
	}
	w.results = append(w.results, r)
}

// taken is how many steps are behind the pointer that a layer of functions gets: as
// many in each as in the others, all in the last.
func (w *writer) taken(t *way, layer int) int { return len(t.steps) * layer / w.Depth }

// function writes the function of a layer, and those that it calls. It returns its
// name.
func (w *writer) function(t *way, number, layer int) string {
	leaf, steps := layer == w.Depth, w.taken(t, layer)
	name := fmt.Sprintf("f%d_%d", number, layer)
	if leaf { // shared by all pointers to a type
		name = "leaf_" + strings.NewReplacer("<", "_", ">", "", ",", "", " ", "").Replace(t.types[steps])
	}
	if w.made[name] {
		return name
	}
	w.made[name] = true
	var inner string
	if leaf {
		b := bodies[t.types[steps]]
		if inner = b.writes; w.reads() {
			inner = b.reads
		}
	} else {
		next := w.taken(t, layer+1)
		callee := w.function(t, number, layer+1)
		pointer := "p"
		if next > steps {
			pointer = "&(*p)" + strings.Join(t.steps[steps:next], "")
		}
		inner = fmt.Sprintf("return %s(%s, k + 1u, i1, i3) ^ 5u;", callee, pointer)
	}
	space, access, _ := strings.Cut(w.Space, ", ")
	if access != "" {
		access = ", " + access
	}
	start := "  let k = n;\n"
	if w.Large {
		start = filler
	}
	fmt.Fprintf(&w.functions, "fn %s(p: ptr<%s, %s%s>, n: u32, i1: u32, i3: u32) -> u32 {\n%s  %s\n}\n", name, space, t.types[steps], access, start, inner)
	return name
}

// Each visits all combinations of options, or some.
func Each(few bool, visit func(Options)) {
	for _, space := range Spaces {
		for depth := 1; depth <= 3; depth++ {
			for _, calls := range []int{1, 2, 36, 60} {
				for _, large := range []bool{false, true} {
					if o := (Options{space, depth, calls, large}); !few || calls != 1 && calls != 60 {
						visit(o)
					}
				}
			}
		}
	}
}
