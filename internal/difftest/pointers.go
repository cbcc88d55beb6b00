package difftest

import (
	"fmt"
	"strings"
)

// pointerPath is a part of a variable that a pointer is made to: the members and indices on the way
// with the type behind each. The indices i1 and i3 are loaded, and are 1 and 3.
type pointerPath struct {
	variable string
	steps    []string
	types    []string // of the variable, and after each step
}

const (
	pointedVector  = "vec4<u32>"
	pointedVectors = "array<vec4<u32>, 3>"
)

var pointerPaths = []pointerPath{
	{"x", nil, []string{"S"}},
	{"x", []string{".head"}, []string{"S", pointedVector}},
	{"x", []string{".list", "[2]"}, []string{"S", "array<vec4<u32>, 4>", pointedVector}},
	{"x", []string{".list", "[i3]"}, []string{"S", "array<vec4<u32>, 4>", pointedVector}},
	{"x", []string{".grid", "[i1]", "[1]"}, []string{"S", "array<array<vec4<u32>, 2>, 3>", "array<vec4<u32>, 2>", pointedVector}},
	{"x", []string{".grid", "[2]", "[i1]"}, []string{"S", "array<array<vec4<u32>, 2>, 3>", "array<vec4<u32>, 2>", pointedVector}},
	{"x", []string{".parts", "[i1]"}, []string{"S", "array<T, 2>", "T"}},
	{"x", []string{".parts", "[0]", ".q"}, []string{"S", "array<T, 2>", "T", pointedVectors}},
	{"x", []string{".parts", "[i1]", ".q", "[i1]"}, []string{"S", "array<T, 2>", "T", pointedVectors, pointedVector}},
	{"x", []string{".one", ".p"}, []string{"S", "T", pointedVector}},
	// but for uniform buffers, whose arrays have strides of 16 bytes
	{"x", []string{".few", "[6]"}, []string{"S", "array<u32, 8>", "u32"}},
	{"x", []string{".few", "[i3]"}, []string{"S", "array<u32, 8>", "u32"}},
	// in storage buffers alone
	{"x", []string{".more", "[i3]"}, []string{"S", "array<vec4<u32>>", pointedVector}},
	{"x", []string{".more"}, []string{"S", "array<vec4<u32>>"}},
	// where there are atomics
	{"y", []string{".c"}, []string{"A", "atomic<u32>"}},
	{"y", []string{".l", "[i3]"}, []string{"A", "array<atomic<u32>, 4>", "atomic<u32>"}},
}

// pointees are the bodies of the last function that a pointer is passed to, by the type that it
// points to: one that writes, and one that reads.
var pointees = map[string][2]string{
	"u32":              {"let r = *p; *p = r * 3u + k; return r + k;", "return *p + k;"},
	pointedVector:      {"let r = *p; (*p).y = r.x + k; *p = *p + r; return r.z + (*p).y;", "return (*p).z + (*p).y * 3u + k;"},
	pointedVectors:     {"let r = (*p)[k % 3u].x; (*p)[k % 3u] = (*p)[(k + 1u) % 3u]; (*p)[1].w += r; return r;", "let v = *p; return (*p)[k % 3u].x + v[2].w;"},
	"T":                {"let r = (*p).p.x; (*p).q[k % 3u].y = r + k; (*p).p = (*p).q[1]; return r;", "return (*p).p.x ^ (*p).q[k % 3u].y;"},
	"S":                {"let r = (*p).head.x; (*p).list[k % 4u] = (*p).head; (*p).head.x = r + k; return r;", "return (*p).head.x + (*p).list[k % 4u].y + k;"},
	"array<vec4<u32>>": {"let m = arrayLength(&*p); let r = (*p)[k % m].x; (*p)[k % m].x = r + m; return r * m;", "let m = arrayLength(&*p); return (*p)[k % m].x * m;"},
	"atomic<u32>":      {"return atomicAdd(p, k);", ""},
}

// scrambling makes functions too large to be inlined wherever they are called.
const scrambling = `for (var j = 0u; j < 3u; j++) {
k = k * 1664525u + 1013904223u + j;
if (k & 4u) != 0u { k ^= k >> 7u; } else { k += 77u; }
if (k & 8u) != 0u { k ^= k << 5u; } else { k -= 3u; }
if (k & 64u) != 0u { k = k * k + 1u; } else { k = ~k; }
}
`

// pointers makes programs that pass pointers to functions: of every address space, to every kind of
// part. A pointer passes through one to three functions, each of which may index further.
func pointers(d *draft) {
	r := d.r
	space := pick(r, []string{"function", "private", "workgroup", "uniform", "storage, read", "storage, read_write"})
	buffer := space == "uniform" || strings.HasPrefix(space, "storage")
	atomics := space == "workgroup" || space == "storage, read_write"
	paths, members := pointerPaths[:10], ""
	if space != "uniform" {
		paths, members = pointerPaths[:12], ", few: array<u32, 8>"
	}
	if strings.HasPrefix(space, "storage") {
		paths, members = pointerPaths[:14], members+", more: array<vec4<u32>>"
	}
	words := (4 + 16 + 24 + 2*16 + 16) + map[bool]int{true: 8}[space != "uniform"] + map[bool]int{true: 20}[strings.HasPrefix(space, "storage")]
	content := make([]uint32, words)
	for n := range content {
		content[n] = uint32(n)*0x01000193 ^ 0x5bd1e995
	}
	calls := pick(r, []int{4, 12, 40})
	d.buffers(calls, []uint32{0, 1, 2, 3})
	fmt.Fprintf(&d.module, "struct T { p: vec4<u32>, q: array<vec4<u32>, 3> }\nstruct A { c: atomic<u32>, l: array<atomic<u32>, 4> }\n"+
		"struct S { head: vec4<u32>, list: array<vec4<u32>, 4>, grid: array<array<vec4<u32>, 2>, 3>, parts: array<T, 2>, one: T%s }\n", members)
	d.line("let i1 = d[1]; let i3 = d[3];")
	if buffer {
		fmt.Fprintf(&d.module, "@group(0) @binding(2) var<%s> x: S;\n", space)
		d.data["x"] = bytesOf(content)
	} else {
		d.module.WriteString("@group(0) @binding(2) var<storage, read> given: S;\n@group(0) @binding(3) var<storage, read_write> last: S;\n")
		d.data["given"], d.data["last"] = bytesOf(content), make([]byte, 4*words)
		if space == "function" {
			d.line("var x = given;")
		} else {
			fmt.Fprintf(&d.module, "var<%s> x: S;\n", space)
			d.line("x = given;")
		}
	}
	if atomics {
		paths = append(append([]pointerPath{}, paths...), pointerPaths[14:]...)
		if space == "workgroup" {
			d.module.WriteString("var<workgroup> y: A;\n")
		} else {
			d.module.WriteString("@group(0) @binding(4) var<storage, read_write> y: A;\n")
			d.data["y"] = make([]byte, 20)
		}
	}
	w := &pointerWriter{draft: d, space: space, depth: 1 + r.IntN(3), made: map[string]bool{}}
	if d.chance(2) {
		w.scramble = scrambling
	}
	for n := range calls {
		k := r.IntN(len(paths))
		p := &paths[k]
		d.line("o[%d] = %s(&%s%s, %du, i1, i3);", n, w.function(p, k, 1), p.variable, strings.Join(p.steps[:w.taken(p, 1)], ""), r.IntN(100))
	}
	if !buffer {
		d.line("last = x;")
	}
	if space == "workgroup" {
		d.line("o[0] += atomicLoad(&y.c) + atomicLoad(&y.l[3]);")
	}
}

type pointerWriter struct {
	*draft
	space    string
	depth    int // functions that a pointer is passed through
	scramble string
	made     map[string]bool
}

// taken is how many steps are behind the pointer that the functions of a layer get.
func (w *pointerWriter) taken(p *pointerPath, layer int) int { return len(p.steps) * layer / w.depth }

// function declares the function of a layer for a path, and those that it calls.
func (w *pointerWriter) function(p *pointerPath, number, layer int) string {
	last, steps := layer == w.depth, w.taken(p, layer)
	name := fmt.Sprintf("f%d_%d", number, layer)
	if last { // shared by all pointers to a type
		name = "last_" + strings.NewReplacer("<", "_", ">", "", ",", "", " ", "").Replace(p.types[steps])
	}
	if w.made[name] {
		return name
	}
	w.made[name] = true
	body := ""
	if last {
		if body = pointees[p.types[steps]][0]; w.space == "uniform" || w.space == "storage, read" {
			body = pointees[p.types[steps]][1]
		}
	} else {
		pointer, next := "p", w.taken(p, layer+1)
		if next > steps {
			pointer = "&(*p)" + strings.Join(p.steps[steps:next], "")
		}
		body = fmt.Sprintf("return %s(%s, k + 1u, i1, i3) ^ 5u;", w.function(p, number, layer+1), pointer)
	}
	space, access, _ := strings.Cut(w.space, ", ")
	if access == "read_write" {
		access = ", read_write"
	} else {
		access = ""
	}
	fmt.Fprintf(&w.module, "fn %s(p: ptr<%s, %s%s>, n: u32, i1: u32, i3: u32) -> u32 {\nvar k = n;\n%s%s\n}\n", name, space, p.types[steps], access, w.scramble, body)
	return name
}
