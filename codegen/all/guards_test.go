package all_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file has kernels of several buffers with common guards, beside which no target may keep a
// check. The compiled kernels are run with buffers shorter than the launch, where an access out of
// bounds is an error.

// guardStyle is a template for the body of a kernel. LIST(separator; text) expands to the text for
// each buffer, with its name for $, between separators. MORE starts with the second buffer. LEAST
// is the smallest of the lengths. BODY(index) is a statement that accesses an element of each
// buffer and writes that of the first.
type guardStyle struct {
	name, text string
	// most is the greatest number of buffers, or 0 for any.
	most int
	// functions come before the kernel.
	functions string
}

var guardStyles = []guardStyle{
	{name: "and", text: `if LIST( && ; i < arrayLength(&$)) { BODY(i) }`},
	{name: "mirrored and", text: `if LIST( && ; arrayLength(&$) > i) { BODY(i) }`},
	{name: "and of less or equal", text: `if LIST( && ; i <= arrayLength(&$) - 1) { BODY(i) }`},
	{name: "nested", text: `LIST( ; if i < arrayLength(&$) {) BODY(i) LIST( ; /*$*/ })`},
	{name: "early returns", text: `LIST( ; if i >= arrayLength(&$) { return; }) BODY(i)`},
	{name: "one early return", text: `if LIST( || ; i >= arrayLength(&$)) { return; } BODY(i)`},
	{name: "eager", text: `if LIST( & ; (i < arrayLength(&$))) { BODY(i) }`},
	{name: "not or", text: `if !(LIST( || ; i >= arrayLength(&$))) { BODY(i) }`},
	{name: "not and", text: `if !(LIST( && ; i < arrayLength(&$))) { return; } BODY(i)`},
	{name: "else", text: `if LIST( || ; arrayLength(&$) <= i) { } else { BODY(i) }`},
	{name: "minimum", text: `let n = LEAST; if i < n { BODY(i) }`},
	{name: "minimum and return", text: `if i >= LEAST { return; } BODY(i)`},
	{name: "bool", text: `let ok = LIST( && ; i < arrayLength(&$)); if ok { BODY(i) }`},
	{name: "flag", text: `var ok = true; LIST( ; if i >= arrayLength(&$) { ok = false; }) if ok { BODY(i) }`},
	{name: "counted flags", text: `var ok = true; LIST( ; ok = ok && i < arrayLength(&$);) if !ok { return; } BODY(i)`},
	{name: "helper", functions: `fn inside(i: u32) -> bool { return LIST( && ; i < arrayLength(&$)); }`, text: `if inside(i) { BODY(i) }`},
	{name: "helper with returns", functions: `fn inside(i: u32) -> bool { LIST( ; if i >= arrayLength(&$) { return false; }) return true; }`,
		text: `if !inside(i) { return; } BODY(i)`},
	{name: "helper for the length", functions: `fn count() -> u32 { var n = 0xffffffffu; LIST( ; n = min(n, arrayLength(&$));) return n; }`,
		text: `if i < count() { BODY(i) }`},
	{name: "helper that works", functions: `fn work(i: u32) { LIST( ; if i >= arrayLength(&$) { return; }) BODY(i) }`, text: `work(i);`},
	{name: "selected minimum", text: `var n = arrayLength(&b0); LIST( ; n = select(n, arrayLength(&$), arrayLength(&$) < n);) if i < n { BODY(i) }`},
	{name: "minimum by branches", text: `var n = arrayLength(&b0); LIST( ; if arrayLength(&$) < n { n = arrayLength(&$); }) if i < n { BODY(i) }`},
	{name: "all", most: 4, text: `if all(VECTOR(i) < VECTOR(arrayLength(&$))) { BODY(i) }`},
	{name: "any", most: 4, text: `if any(VECTOR(i) >= VECTOR(arrayLength(&$))) { return; } BODY(i)`},
	{name: "all of two", text: `if all(id.xy < p.xy) && LIST( && ; p.x <= arrayLength(&$)) { BODY(id.x) }`},
	{name: "equal lengths", text: `LIST( ; if arrayLength(&$) != arrayLength(&b0) { return; }) if i < arrayLength(&b0) { BODY(i) }`},
	{name: "longer ones", text: `if LIST( && ; arrayLength(&b0) <= arrayLength(&$)) && i < arrayLength(&b0) { BODY(i) }`},
	{name: "count", text: `LIST( ; if p.x > arrayLength(&$) { return; }) if i < p.x { BODY(i) }`},
	{name: "count and lengths", text: `if i < min(p.x, LEAST) { BODY(i) }`},
	{name: "count in a buffer", text: `let n = min(b1[0], LEAST); if i < n { BODY(i) }`},
	{name: "one less", text: `if i < LEAST - 1 { BODY(i) BODY(i + 1) }`},
	{name: "one less, of a count", text: `if p.x >= 1 && LIST( && ; p.x <= arrayLength(&$)) { if i < p.x - 1 { BODY(i) BODY(i + 1) } }`},
	{name: "not the first", text: `if i > 0 && LIST( && ; i < arrayLength(&$)) { BODY(i) BODY(i - 1) }`},
	{name: "the next", text: `if i < 0xffff && LIST( && ; i + 1 < arrayLength(&$)) { BODY(i) BODY(i + 1) }`},
	{name: "the next before itself", text: `if MORE( && ; i + 1 < arrayLength(&$)) && i < arrayLength(&b0) { atomicAdd(&b0[i], MORE( + ; $[i + 1] + $[i])); }`},
	{name: "the next behind itself", text: `if i < arrayLength(&b0) && MORE( && ; i + 1 < arrayLength(&$)) { atomicAdd(&b0[i], MORE( + ; $[i + 1] + $[i])); }`},
	{name: "the next, named", text: `let next = i + 1; if MORE( && ; next < arrayLength(&$)) && i < arrayLength(&b0) { atomicAdd(&b0[i], MORE( + ; $[next])); }`},
	{name: "the next, nested", text: `MORE( ; if i + 1 < arrayLength(&$) {) if arrayLength(&b0) > i { atomicAdd(&b0[i], MORE( + ; $[i + 1] + $[i])); } MORE( ; /*$*/ })`},
	{name: "both sides", text: `if i >= 1 && MORE( && ; i + 1 < arrayLength(&$)) && i < arrayLength(&b0) { atomicAdd(&b0[i], MORE( + ; $[i - 1] + $[i] + $[i + 1])); }`},
	{name: "odd ones", text: `let odd = 2 * i + 1; if MORE( && ; odd < arrayLength(&$)) && i < arrayLength(&b0) { atomicAdd(&b0[i], MORE( + ; $[odd])); }`},
	{name: "behind an offset", text: `if i < arrayLength(&b0) && MORE( && ; i + p.x < arrayLength(&$)) { atomicAdd(&b0[i], MORE( + ; $[i + p.x])); }`},
	{name: "before an offset", text: `if MORE( && ; p.x + i < arrayLength(&$)) && i < arrayLength(&b0) { atomicAdd(&b0[i], MORE( + ; $[i + p.x])); }`},
	{name: "in a plane", text: `if id.x < p.x && id.y < p.y && LIST( && ; id.y * p.x + id.x < arrayLength(&$)) { BODY(id.y * p.x + id.x) }`},
	{name: "in a plane, by rows", text: `let row = id.y * p.x; if id.x < p.x && id.y < p.y && LIST( && ; row + id.x < arrayLength(&$)) { BODY(row + id.x) }`},
	{name: "in a line of a plane", text: `if i < arrayLength(&b0) && MORE( && ; id.y * p.y + i < arrayLength(&$)) { atomicAdd(&b0[i], MORE( + ; $[id.y * p.y + i])); }`},
	{name: "gathered", text: `if i < arrayLength(&b0) && i < arrayLength(&b1) && LIST( && ; b1[i] < arrayLength(&$)) { atomicAdd(&b0[i], MORE( + ; $[b1[i]])); }`},
	{name: "the row above", text: `let w = p.x & 63; let h = p.y & 63; if LIST( && ; w * h <= arrayLength(&$)) && id.x < w && id.y < h && id.y > 0 { BODY((id.y - 1) * w + id.x) BODY(id.y * w + id.x - w) }`, most: 4},
	{name: "matrix product", text: `let n = p.x & 63; if LIST( && ; n * n <= arrayLength(&$)) && i < n && i < arrayLength(&b0) { var s = 0u; for (var q = 0u; q < n; q++) { s += b1[i * n + q] * MORE( + ; $[q * n + i]); } atomicAdd(&b0[i], s); }`},
	{name: "greatest of two", text: `let j = (i * 7 + p.x) % 50; if LIST( && ; max(i, j) < arrayLength(&$)) { BODY(i) BODY(j) }`},
	{name: "the next one, around", text: `let n = LEAST; if i < n { let j = select(i + 1, 0, i + 1 == n); BODY(j) }`},
	{name: "the next but for the last", text: `let n = LEAST; if i < n { if i == n - 1 { BODY(0) } else { BODY(i + 1) } }`},
	{name: "fours", text: `let n = LEAST & ~3u; for (var k = 0u; k < n; k += 4) { if k % 64 == i { BODY(k) BODY(k + 1) BODY(k + 3) } }`},
	{name: "whole fours", text: `let n = LEAST / 4 * 4; for (var k = 0u; k < n; k += 4) { if k % 64 == i { BODY(k + 2) BODY(k + 3) } }`},
	{name: "greatest so far", text: `let n = LEAST; var best = 0u; for (var k = 1u; k < n; k++) { if MORE( + ; $[k] > $[best]) { best = k; } } if i == 0 { BODY(best) }`, most: 2},
	{name: "ring", text: `let n = LEAST; var at = i % n; for (var k = 0u; k < 5; k++) { BODY(at) at = (at + 1) % n; }`},
	{name: "binary search", text: `var low = 0u; var high = arrayLength(&b1); while low < high { let middle = low + (high - low) / 2; if b1[middle] < i { low = middle + 1; } else { high = middle; } } if i < arrayLength(&b0) { atomicAdd(&b0[i], low); }`, most: 2},
	{name: "second half", text: `let half = LEAST / 2; if i < half { BODY(i) BODY(i + half) }`, most: 4},
	{name: "difference if there is one", text: `let n = LEAST; for (var k = i; k < select(0, n - 3, n > 3); k += 64) { BODY(k + 3) }`},
	{name: "inner", text: `if i < 1 || LIST( || ; i >= arrayLength(&$) - 1) { return; } BODY(i - 1) BODY(i) BODY(i + 1)`},
	{name: "quads", text: `let n = LEAST / 4; if i < n { BODY(i * 4) BODY(4 * i + 1) BODY(i * 4 + 3) }`},
	{name: "quads by shifts", text: `if LIST( && ; i < (arrayLength(&$) >> 2)) { BODY(i << 2) BODY((i << 2) + 3) }`},
	{name: "halves", text: `if LIST( && ; i < arrayLength(&$)) { BODY(i / 2) BODY(i >> 3) BODY(i & 7) BODY(i % 5) }`},
	{name: "rows", text: `if id.y < 4 && id.x < 16 && LIST( && ; id.x < arrayLength(&$) / 4) { BODY(id.x * 4 + id.y) }`},
	{name: "two dimensions", text: `let w = min(p.x, 1024); let h = min(p.y, 1024); if LIST( || ; w * h > arrayLength(&$)) { return; }
		if id.x < w && id.y < h { BODY(id.y * w + id.x) }`},
	{name: "three dimensions", text: `let w = min(p.x, 256); let h = min(p.y, 256); let d = min(p.z, 256); if LIST( || ; w * h * d > arrayLength(&$)) { return; }
		if all(id < vec3u(w, h, d)) { BODY((id.z * h + id.y) * w + id.x) }`},
	{name: "around", text: `MORE( ; sink += $[i % arrayLength(&$)];) atomicAdd(&b0[i % arrayLength(&b0)], 1);`},
	{name: "clamped", text: `MORE( ; sink += $[min(i, arrayLength(&$) - 1)];) atomicAdd(&b0[min(i, arrayLength(&b0) - 1)], 1);`},
	{name: "backwards", text: `let n = LEAST; if i < n { BODY(n - 1 - i) }`},
	{name: "signed", text: `let s = i32(id.x); if s >= 0 && LIST( && ; s < i32(arrayLength(&$))) { BODY(s) }`},
	{name: "signed minimum", text: `let s = i32(id.x); let n = i32(LEAST); if s < 0 || s >= n { return; } BODY(s)`},
	{name: "signed before", text: `let s = i32(id.x & 63) - 3; if s < 0 || LIST( || ; s >= i32(arrayLength(&$))) { return; } BODY(s)`},
	{name: "loop", text: `for (var k = 0u; LIST( && ; k < arrayLength(&$)); k++) { if k % 64 == i { BODY(k) } }`},
	{name: "loop to a minimum", text: `let n = LEAST; for (var k = 0u; k < n; k++) { if k % 64 == i { BODY(k) } }`},
	{name: "grid stride", text: `let n = LEAST; for (var k = i; k < n; k += 64 * groups.x) { BODY(k) }`},
	{name: "grid stride and", text: `for (var k = i; LIST( && ; k < arrayLength(&$)); k += 64u) { BODY(k) }`},
	{name: "signed stride", text: `let n = i32(LEAST); for (var k = i32(i & 63); k < n; k += 64) { BODY(k) }`},
	{name: "continue", text: `for (var k = i; k < 200; k += 64) { LIST( ; if k >= arrayLength(&$) { continue; }) BODY(k) }`},
	{name: "break", text: `for (var k = i; k < 200; k += 64) { LIST( ; if k >= arrayLength(&$) { break; }) BODY(k) }`},
	{name: "while", text: `var k = i; while true { if !(LIST( && ; k < arrayLength(&$))) { break; } BODY(k) k += 64; }`},
	{name: "loop from behind", text: `for (var k = LEAST; k > 0; k--) { if k % 64 == i { BODY(k - 1) } }`},
	{name: "triangle", text: `if i < LEAST { for (var j = 0u; j <= i; j++) { sink += MORE( + ; $[j]); } BODY(i) }`},
	{name: "difference", text: `let n = LEAST; if i < n { for (var j = 0u; j < i; j++) { sink += MORE( + ; $[i - j]); } }`},
	{name: "last ones", text: `if LIST( && ; arrayLength(&$) > 4) { MORE( ; sink += $[4] + $[arrayLength(&$) - 5];) }`},
}

// expandGuards writes a style for n buffers.
func expandGuards(text string, n int) string {
	each := func(separator, text string) string {
		var list []string
		for k := range n {
			list = append(list, strings.ReplaceAll(text, "$", fmt.Sprint("b", k)))
		}
		return strings.Join(list, separator)
	}
	more := func(separator, text string) string {
		list := strings.Split(each("\n", text), "\n")
		return strings.Join(list[1:], separator)
	}
	least := "arrayLength(&b0)"
	for k := 1; k < n; k++ {
		least = fmt.Sprintf("min(%s, arrayLength(&b%d))", least, k)
	}
	text = strings.ReplaceAll(text, "LEAST", least)
	for _, name := range []string{"LIST(", "MORE(", "BODY(", "VECTOR("} {
		for {
			before, rest, found := strings.Cut(text, name)
			if !found {
				break
			}
			end, depth := 0, 1
			for ; depth > 0; end++ {
				switch rest[end] {
				case '(':
					depth++
				case ')':
					depth--
				}
			}
			inner, rest := rest[:end-1], rest[end:]
			switch name {
			case "LIST(":
				separator, text, _ := strings.Cut(inner, ";")
				inner = each(separator, text)
			case "MORE(":
				separator, text, _ := strings.Cut(inner, ";")
				inner = more(separator, text)
			case "BODY(":
				inner = fmt.Sprintf("atomicAdd(&b0[%s], %s);", inner, more(" + ", "$["+inner+"]"))
			case "VECTOR(":
				inner = fmt.Sprintf("vec%du(%s)", n, each(", ", inner))
			}
			text = before + inner + rest
		}
	}
	return text
}

// guardedKernel is the WGSL of a style.
func guardedKernel(s *guardStyle, n int) string {
	var w strings.Builder
	for k := range n {
		access, element := "read", "u32"
		if k == 0 {
			// so that it matters to nobody who comes first
			access, element = "read_write", "atomic<u32>"
		}
		fmt.Fprintf(&w, "@group(0) @binding(%d) var<storage, %s> b%d: array<%s>;\n", k, access, k, element)
	}
	fmt.Fprintf(&w, "@group(0) @binding(%d) var<uniform> p: vec3u;\n@group(0) @binding(%d) var<storage, read_write> total: array<u32, 768>;\n", n, n+1)
	fmt.Fprintf(&w, "var<private> sink: u32;\n%s\n", expandGuards(s.functions, n))
	fmt.Fprintf(&w, "@compute @workgroup_size(16, 4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {\n"+
		"let i = id.x + 0 * groups.x; _ = p.x; %s\n total[min(id.x, 95) + 96 * min(id.y, 7)] = sink; }\n", expandGuards(s.text, n))
	return w.String()
}

// needed are the checks that have to stay, by the kernel or by the target and the kernel.
var needed = map[string]string{
	"Stride":            "positions may be up to 2^31, and what is added to one before the end may wrap, which Go's own ints would not",
	"QuadsByLength":     "four times a length of 2^29 wraps",
	"cpu StrideToLeast": "the processor's buffers may have 2^31-1 elements, and what is added to the last but one may wrap",
	"cpu signed stride": "the same",
	"cpu Pairs":         "the same: twice a position may wrap, to less than 0",
	"Plane":             "a product of numbers with a sign may wrap to less than 0, which is below every length",
}

// TestGuards: no target keeps a check of an access that the source guards, and the compiled kernel
// has no access out of bounds.
func TestGuards(t *testing.T) {
	for k := range guardStyles {
		s := &guardStyles[k]
		if testing.Short() && k%8 != 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for n := 2; n <= testmode.Count(2, 3, 5) && (s.most == 0 || n <= s.most); n++ {
				m := loaded(t, "guards.wgsl", guardedKernel(s, n))
				testGuards(t, m, s.name)
			}
		})
	}
}

// TestGuardsOfGo is the same for kernels in Go.
func TestGuardsOfGo(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("testdata", "guards")}, &list, ".")
	if err != nil || m == nil {
		var text strings.Builder
		diag.Write(&text, &set, list.Items())
		t.Fatalf("%v %s", err, text.String())
	}
	testGuards(t, m, "")
}

// testGuards compiles the kernels of a module for all targets that guard accesses. An empty name
// means the kernels' own.
func testGuards(t *testing.T, m *ir.Module, name string) {
	for _, kernel := range m.Kernels() {
		name := cmp.Or(name, kernel.Name)
		for _, target := range all.Targets {
			if target.Name == abi.Checked {
				continue
			}
			var compiled *ir.Module
			context := &opt.Context{}
			options := codegen.Options{Context: context, Report: new(codegen.Report)}
			context.Watch = func(pass *opt.Pass, m *ir.Module) {
				if pass != nil && pass.Name == "robustness" {
					compiled = m.Clone()
				}
			}
			var list diag.List
			reported := codegen.Compile(m, kernel.Name, target, &options, &list)
			if reported == nil {
				t.Fatalf("%s for %s: %v", name, target.Name, list.Items())
			}
			context.Watch = nil
			plain := codegen.Compile(m, kernel.Name, target, &codegen.Options{Context: context}, &list)
			if !bytes.Equal(reported.Code, plain.Code) {
				t.Errorf("%s for %s: with a report the code is other code", name, target.Name)
			}
			if !options.Report.Survey.Guards {
				continue
			}
			reason := needed[name] + needed[string(target.Name)+" "+name]
			if checks := options.Report.Survey.Checks; len(checks) > 0 != (reason != "") {
				t.Errorf("%s of %d buffers for %s: %d checks are left (%q):", name, len(m.Globals), target.Name, len(checks), reason)
				for _, c := range checks {
					t.Errorf("  %s of %s, below %v", m.Sources.Text(c.Access), c.Variable, c.Below)
				}
			}
			runGuarded(t, m, kernel.Name, compiled, fmt.Sprintf("%s for %s", name, target.Name))
		}
	}
}

// guardedLengths are the elements of the buffers, in their order, and what the parameters are.
var guardedLengths = []struct {
	elements   [5]int
	parameters [3]uint32
}{
	{[5]int{300, 300, 300, 300, 300}, [3]uint32{16, 4, 2}}, {[5]int{7, 7, 7, 7, 7}, [3]uint32{7, 1, 1}},
	{[5]int{64, 5, 40, 1, 12}, [3]uint32{1, 5, 1}}, {[5]int{1, 64, 2, 3, 5}, [3]uint32{8, 8, 8}}, {[5]int{5, 9, 12, 200, 7}, [3]uint32{5, 1, 1}},
	{[5]int{16, 17, 18, 19, 16}, [3]uint32{4, 4, 1}}, {[5]int{100, 90, 80, 70, 60}, [3]uint32{1 << 31, 2, 1}}, {[5]int{1, 1, 1, 1, 1}, [3]uint32{0, 0, 0}},
	{[5]int{33, 34, 33, 40, 33}, [3]uint32{65536, 65536, 1}},
}

// runGuarded runs the source and the compiled form of a kernel in the checked mode, and compares
// the buffers.
func runGuarded(t *testing.T, m *ir.Module, kernel string, compiled *ir.Module, name string) {
	t.Helper()
	for _, lengths := range guardedLengths {
		var left [2]map[string][]byte
		for n, m := range []*ir.Module{m, compiled} {
			var k *ir.Func
			for _, f := range m.Kernels() {
				if f.Name == kernel {
					k = f
				}
			}
			program, err := interp.Compile(m, k)
			if err != nil {
				t.Fatal(name, err)
			}
			grid := [3]uint32{6, 2, 1}
			if k.IntPositions { // Go's items lie in a row
				grid = [3]uint32{3, 1, 1}
			}
			launch := interp.Launch{Grid: grid, Checked: true, Immediates: make([]byte, program.Immediates())}
			// the extent: all items there are
			for at := 0; at+4 <= len(launch.Immediates); at += 4 {
				binary.LittleEndian.PutUint32(launch.Immediates[at:], 192)
			}
			left[n] = map[string][]byte{}
			for _, b := range program.Bindings() {
				size := int(b.Size)
				if b.Stride > 0 { // those of WGSL are b0 to b4, those of Go a to e
					size += lengths.elements[(b.Name[len(b.Name)-1]-'0')%('a'-'0')] * int(b.Stride)
				}
				data := make([]byte, size)
				for at := 0; at+4 <= len(data); at += 4 {
					binary.LittleEndian.PutUint32(data[at:], uint32(at+3)%97)
				}
				if b.Name == "p" {
					for n, x := range lengths.parameters {
						binary.LittleEndian.PutUint32(data[4*n:], x)
					}
				}
				launch.Buffers = append(launch.Buffers, data)
				left[n][b.Name] = data
			}
			found, err := program.Run(&launch)
			if err != nil || len(found) > 0 {
				t.Fatalf("%s with %v, compiled %v: %v %v", name, lengths, n == 1, err, found)
			}
		}
		for name, data := range left[1] {
			if !bytes.Equal(left[0][name], data) {
				t.Fatalf("%s with %v: %s differs", kernel, lengths, name)
			}
		}
	}
}
