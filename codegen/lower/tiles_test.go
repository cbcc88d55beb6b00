package lower_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// tileType is the type of a tile in a random kernel.
type tileType struct {
	kind          string
	rows, columns int
}

func (t tileType) String() string { return fmt.Sprintf("tile<%s, %d, %d>", t.kind, t.rows, t.columns) }

// kernelWriter writes a random kernel with tiles. Most are squares of f32, so that arrays are
// shared.
type kernelWriter struct {
	r      *rand.Rand
	b      strings.Builder
	number int            // of names
	side   int            // of squares
	scope  [][]tileValue  // what is visible, by block
	stores map[string]int // how many tiles each output has
	budget int
}

type tileValue struct {
	name string
	tileType
}

// tileStride is how many elements of an output a tile has.
const tileStride = 121

// tileOutputs is how many tiles an output has.
const tileOutputs = 48

var randomTileKinds = [...]string{"f32", "f32", "f32", "i32", "u32", "f16", "e4m3", "i8", "f64"}

// heldKinds are the kinds of arrays whose elements are not those of tiles.
var heldKinds = map[string]string{"e4m3": "u8"}

// isPacked reports whether lower.PackedTiles lowers the random kernel of a seed.
func isPacked(seed uint64) bool { return seed%3 == 0 }

func randomTiles(seed uint64) string {
	w := &kernelWriter{r: rand.New(rand.NewPCG(seed, 1)), stores: map[string]int{}, budget: 40}
	w.side = 1 + w.r.IntN(5)
	if isPacked(seed) && w.r.IntN(4) > 0 {
		w.side = 7 + w.r.IntN(5) // one or two blocks of lanes
	}
	items := [...]int{1, 2, 4, 6, 8}[w.r.IntN(5)]
	binding := 0
	for n, k := range randomTileKinds {
		if n > 0 && k == randomTileKinds[n-1] {
			continue
		}
		held := k
		if h := heldKinds[k]; h != "" {
			held = h
		}
		fmt.Fprintf(&w.b, "var @in_%s : ptr<storage, array<%s, 40u>> [group 0, binding %d]\n", k, held, binding)
		fmt.Fprintf(&w.b, "var @out_%s : ptr<storage, array<%s, %du>, read_write> [group 0, binding %d]\n", k, held, tileStride*tileOutputs, binding+1)
		binding += 2
	}
	fmt.Fprintf(&w.b, "var @shared : ptr<workgroup, array<f32, 30u>>\nvar @uniform : ptr<uniform, array<vec4<u32>, 4u>> [group 1, binding 0]\n")
	index := "%l: u32 [local_invocation_index]"
	if isPacked(seed) {
		index = "" // else the size of the workgroup would stay
	}
	fmt.Fprintf(&w.b, "kernel @main(%s) [workgroup %du, 1u, 1u] {\n", index, items)
	w.line("tile_store @shared, 0i, 5i, 1i, 6i, 5i, 0i, 0i, zero<tile<f32, 6, 5>> [workgroup]")
	for n := range 2 {
		w.line("%%variable%d = var : ptr<function, %s>", n, w.square())
	}
	w.scope = [][]tileValue{nil}
	w.statements(10)
	for _, v := range w.scope[0] {
		w.store(v)
	}
	w.line("return\n}")
	return w.b.String()
}

func (w *kernelWriter) line(format string, args ...any) {
	w.b.WriteString("  ")
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *kernelWriter) name() string {
	w.number++
	return fmt.Sprintf("%%v%d", w.number)
}

// square is the type that most tiles have.
func (w *kernelWriter) square() tileType { return tileType{"f32", w.side, w.side} }

func (w *kernelWriter) anyType() tileType {
	switch w.r.IntN(6) {
	case 0, 1, 2:
		return w.square()
	case 3:
		return tileType{"f32", w.side, 1}
	}
	return tileType{randomTileKinds[w.r.IntN(len(randomTileKinds))], 1 + w.r.IntN(5), 1 + w.r.IntN(5)}
}

// of returns a tile of a type: mostly one that is visible.
func (w *kernelWriter) of(t tileType) string {
	var all []string
	for _, block := range w.scope {
		for _, v := range block {
			if v.tileType == t {
				all = append(all, v.name)
			}
		}
	}
	switch {
	case len(all) > 0 && w.r.IntN(12) > 0:
		if n := len(all); n > 3 && w.r.IntN(5) > 0 {
			all = all[n-3:]
		}
		return all[w.r.IntN(len(all))]
	case w.r.IntN(3) == 0:
		return "zero<" + t.String() + ">"
	}
	return w.load(t)
}

// some returns a tile that is visible.
func (w *kernelWriter) some() tileValue {
	var all []tileValue
	for _, block := range w.scope {
		all = append(all, block...)
	}
	if len(all) == 0 {
		t := w.square()
		return tileValue{w.load(t), t}
	}
	return all[w.r.IntN(len(all))]
}

func (w *kernelWriter) define(name string, t tileType) {
	last := len(w.scope) - 1
	w.scope[last] = append(w.scope[last], tileValue{name, t})
}

// result writes an operation with a result.
func (w *kernelWriter) result(t tileType, format string, args ...any) string {
	name := w.name()
	w.line("%s = %s : %s", name, fmt.Sprintf(format, args...), t)
	w.define(name, t)
	return name
}

func (w *kernelWriter) store(v tileValue) {
	if n := w.stores[v.kind]; n < tileOutputs && v.rows*v.columns <= tileStride {
		w.stores[v.kind]++
		w.line("tile_store @out_%s, %di, %di, 1i, %di, %di, 0i, 0i, %s", v.kind, n*tileStride, v.columns, v.rows, v.columns, v.name)
	}
}

// condition returns a condition that is the same for all.
func (w *kernelWriter) condition() string {
	p, v, c := w.name(), w.name(), w.name()
	w.line("%s = access @uniform, %du, %du : ptr<uniform, u32>", p, w.r.IntN(4), w.r.IntN(4))
	w.line("%s = load %s : u32", v, p)
	w.line("%s = lt %s, 3u : bool", c, v)
	return c
}

func (w *kernelWriter) statements(n int) {
	for range n {
		if w.budget--; w.budget > 0 {
			w.statement()
		}
	}
}

// block writes the instructions of a block.
func (w *kernelWriter) block(body func()) {
	w.scope = append(w.scope, nil)
	body()
	w.scope = w.scope[:len(w.scope)-1]
}

func (w *kernelWriter) statement() {
	square := w.square()
	switch w.r.IntN(20) {
	case 0:
		w.load(w.anyType())
	case 1:
		w.result(square, "tile_splat %df", w.r.IntN(4))
	case 2, 3, 4:
		w.result(square, "tile_mul_add %s, %s, %s [contract]", w.of(square), w.of(square), w.of(square))
	case 5:
		depth, x := 1+w.r.IntN(5), w.anyType()
		if w.r.IntN(4) == 0 {
			depth *= 13 // which takes several slices
		}
		kinds := map[string][2]string{"f32": {"f16", "f16"}, "i32": {"i8", "i8"}, "f64": {"f64", "f64"}}[x.kind]
		if kinds[0] == "" {
			return
		}
		if x.kind == "f32" && w.r.IntN(2) == 0 {
			kinds = [2]string{"f32", "f32"}
		}
		w.result(x, "tile_mul_add %s, %s, %s [contract]", w.of(tileType{kinds[0], x.rows, depth}), w.of(tileType{kinds[1], depth, x.columns}), w.of(x))
	case 6:
		x := w.some()
		w.result(tileType{randomTileKinds[w.r.IntN(len(randomTileKinds))], x.rows, x.columns}, "tile_convert %s", x.name)
	case 7:
		x := w.some()
		if x.kind == "f16" || x.kind == "e4m3" || x.kind == "i8" {
			return
		}
		operation, t := "add", tileType{x.kind, x.rows, 1}
		if x.kind == "i32" || x.kind == "u32" {
			operation = [...]string{"add", "min", "max"}[w.r.IntN(3)]
		}
		if w.r.IntN(2) == 0 {
			t = tileType{x.kind, 1, x.columns}
		}
		w.result(t, "tile_reduce %s [%s]", x.name, operation)
	case 8:
		t := w.anyType()
		from := tileType{t.kind, t.rows, 1}
		if w.r.IntN(2) == 0 {
			from = tileType{t.kind, 1, t.columns}
		}
		w.result(t, "tile_broadcast %s", w.of(from))
	case 9:
		x := w.some()
		w.result(tileType{x.kind, x.columns, x.rows}, "tile_transpose %s", x.name)
	case 10:
		w.elements()
	case 11:
		c := w.condition()
		x := w.some()
		w.result(x.tileType, "select %s, %s, %s", c, w.of(x.tileType), x.name)
	case 12:
		w.line("tile_store @shared, %di, 5i, 1i, 5i, 5i, 0i, 0i, %s [workgroup]", w.r.IntN(5), w.of(square))
	case 13:
		w.branch()
	case 14:
		w.choice()
	case 16:
		w.block(func() { // whose load only the product uses
			x := w.load(square)
			if w.scope[len(w.scope)-1] = nil; w.r.IntN(2) == 0 {
				w.line("tile_store @shared, %di, 5i, 1i, 5i, 5i, 0i, 0i, %s [workgroup]", w.r.IntN(5), w.of(square))
			}
			if w.r.IntN(3) == 0 {
				w.branch()
			}
			operands := [...]string{x, w.of(square)}
			n := w.r.IntN(2)
			y := w.result(square, "tile_mul_add %s, %s, %s [contract]", operands[n], operands[1-n], w.of(square))
			w.scope[len(w.scope)-2] = append(w.scope[len(w.scope)-2], tileValue{y, square})
		})
	case 15:
		variable := w.r.IntN(2)
		if w.r.IntN(2) == 0 {
			w.line("store %%variable%d, %s", variable, w.of(square))
		} else {
			w.result(square, "load %%variable%d", variable)
		}
	default:
		w.loop()
	}
}

// elements writes a loop over the elements that an invocation holds, which makes a sum of tiles.
func (w *kernelWriter) elements() {
	t := w.square()
	x, y, start := w.of(t), w.of(t), w.of(t)
	id := w.name()[1:]
	r := w.name()
	w.line("%%c%s = tile_count %s : i32", id, x)
	w.line("%s = loop ^k%s(%%n%s: i32 = 0i, %%t%s: %s = %s) : %s {", r, id, id, id, t, start, t)
	w.line("  %%m%s = lt %%n%s, %%c%s : bool\n    if ^i%s %%m%s {\n      exit ^i%s()\n    } else {\n      exit ^k%s(%%t%s)\n    }", id, id, id, id, id, id, id, id)
	w.line("  %%x%s = tile_get %s, %%n%s : f32\n    %%y%s = tile_get %s, %%n%s : f32", id, x, id, id, y, id)
	w.line("  %%o%s = tile_get %%t%s, %%n%s : f32\n    %%s%s = sub %%x%s, %%y%s : f32\n    %%p%s = add %%s%s, %%o%s : f32", id, id, id, id, id, id, id, id, id)
	w.line("  %%u%s = tile_set %%t%s, %%n%s, %%p%s : %s", id, id, id, id, t)
	last := "%u" + id
	if w.r.IntN(2) == 0 { // a value that is dropped, and the old one kept
		w.line("  %%d%s = tile_set %%u%s, %%n%s, 77f : %s", id, id, id, t)
		w.line("  %%g%s = tile_get %%u%s, %%n%s : f32\n    %%e%s = tile_set %%d%s, %%n%s, %%g%s : %s", id, id, id, id, id, id, id, t)
		last = "%e" + id
	}
	w.line("  continue ^k%s(%s)\n  } continuing(%%z%s: %s) {\n    %%a%s = add %%n%s, 1i : i32\n    next ^k%s(%%a%s, %%z%s)\n  }", id, last, id, t, id, id, id, id, id)
	w.define(r, t)
}

// types returns the types of some results: mostly squares.
func (w *kernelWriter) types() (list []tileType) {
	for range 1 + w.r.IntN(3) {
		if w.r.IntN(4) > 0 {
			list = append(list, w.square())
		} else {
			list = append(list, w.anyType())
		}
	}
	return list
}

// values returns tiles of types.
func (w *kernelWriter) values(types []tileType) string {
	var names []string
	for _, t := range types {
		names = append(names, w.of(t))
	}
	return strings.Join(names, ", ")
}

func typeList(types []tileType) string {
	var b strings.Builder
	for n, t := range types {
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.String())
	}
	return b.String()
}

func (w *kernelWriter) names(types []tileType) (names []string) {
	for range types {
		names = append(names, w.name())
	}
	return names
}

func (w *kernelWriter) branch() {
	types := w.types()
	c, id, results := w.condition(), w.name()[1:], w.names(types)
	w.line("%s = if ^%s %s : %s {", strings.Join(results, ", "), id, c, typeList(types))
	for n := range 2 {
		w.block(func() {
			w.statements(w.r.IntN(3))
			w.line("exit ^%s(%s)", id, w.values(types))
		})
		if n == 0 {
			w.line("} else {")
		}
	}
	w.line("}")
	for n, name := range results {
		w.define(name, types[n])
	}
}

// choice writes a scope, or a switch, with results. What is in a branch of it may end it, too.
func (w *kernelWriter) choice() {
	types := w.types()
	id, results := w.name()[1:], w.names(types)
	head := fmt.Sprintf("%s = scope ^%s : %s {", strings.Join(results, ", "), id, typeList(types))
	blocks := 1
	if w.r.IntN(2) == 0 {
		p, v := w.name(), w.name()
		w.line("%s = access @uniform, %du, 0u : ptr<uniform, u32>", p, w.r.IntN(4))
		w.line("%s = load %s : u32", v, p)
		head = fmt.Sprintf("%s = switch ^%s %s : %s {\n  case 1u, 2u {", strings.Join(results, ", "), id, v, typeList(types))
		blocks = 2
	}
	w.line("%s", head)
	for n := range blocks {
		w.block(func() {
			if c := w.condition(); w.r.IntN(2) == 0 {
				w.line("if ^u%s.%d %s {", id, n, c)
				w.block(func() {
					w.statements(w.r.IntN(2))
					w.line("exit ^%s(%s)\n  } else {\n    exit ^u%s.%d()\n  }", id, w.values(types), id, n)
				})
			}
			w.statements(w.r.IntN(3))
			w.line("exit ^%s(%s)\n  }", id, w.values(types))
		})
		if n < blocks-1 {
			w.line("default {")
		}
	}
	if blocks > 1 {
		w.line("}")
	}
	for n, name := range results {
		w.define(name, types[n])
	}
}

// loop writes a loop of up to three iterations, which ends in its body or by break_if.
func (w *kernelWriter) loop() {
	types, carried := w.types(), w.types()
	initial := make([]string, len(types))
	for n, t := range types {
		initial[n] = w.of(t)
	}
	id, results, params, inner := w.name()[1:], w.names(types), w.names(types), w.names(carried)
	var list strings.Builder
	for n := range types {
		fmt.Fprintf(&list, ", %s: %s = %s", params[n], types[n], initial[n])
	}
	w.line("%s = loop ^%s(%%n%s: i32 = 0i%s) : %s {", strings.Join(results, ", "), id, id, list.String(), typeList(types))
	count := w.r.IntN(4)
	early := w.r.IntN(2) == 0
	w.block(func() {
		for n, name := range params {
			w.define(name, types[n])
		}
		w.block(func() {
			w.statements(w.r.IntN(3))
			if early {
				w.line("%%m%s = lt %%n%s, %di : bool\n  if ^i%s %%m%s {\n    exit ^i%s()\n  } else {", id, id, count, id, id, id)
				w.block(func() {
					w.statements(w.r.IntN(2))
					w.line("exit ^%s(%s)\n  }", id, w.values(types))
				})
				w.statements(w.r.IntN(3))
			}
			if c := w.condition(); w.r.IntN(3) == 0 {
				w.line("if ^j%s %s {", id, c)
				w.block(func() {
					w.statements(w.r.IntN(2))
					w.line("continue ^%s(%s)\n  } else {\n    exit ^j%s()\n  }", id, w.values(carried), id)
				})
				w.statements(w.r.IntN(2))
			}
			list.Reset()
			for n, name := range inner {
				if n > 0 {
					list.WriteString(", ")
				}
				fmt.Fprintf(&list, "%s: %s", name, carried[n])
			}
			w.line("continue ^%s(%s)\n  } continuing(%s) {", id, w.values(carried), list.String())
		})
		w.block(func() {
			for n, name := range inner {
				w.define(name, carried[n])
			}
			w.statements(w.r.IntN(2))
			w.line("%%a%s = add %%n%s, 1i : i32", id, id)
			next := w.values(types)
			if early {
				w.line("next ^%s(%%a%s, %s)", id, id, next)
			} else {
				out := w.values(types)
				w.line("%%m%s = ge %%a%s, %di : bool", id, id, count)
				w.line("next ^%s(%%a%s, %s) break_if %%m%s(%s)", id, id, next, id, out)
			}
		})
	})
	w.line("}")
	for n, name := range results {
		w.define(name, types[n])
	}
}

// launchTiles runs a workgroup of a random kernel on small numbers.
func launchTiles(t *testing.T, m *ir.Module, seed uint64, launch interp.Launch) (map[string][]byte, []diag.Diagnostic) {
	t.Helper()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Text())
	}
	var buffers [][]byte
	named := map[string][]byte{}
	for _, b := range p.Bindings() {
		r := rand.New(rand.NewPCG(seed, uint64(b.Binding)))
		data := make([]byte, b.Size)
		_, kind, isInput := strings.Cut(b.Name, "in_")
		k := kindNamed(kind)
		for at := 0; at+k.Bytes() <= len(data) && !b.Writable; at += k.Bytes() {
			bits := uint64(r.IntN(6))
			if isInput && k.IsFloat() {
				bits = scalar.FromFloat64(k, float64(r.IntN(12)-4)/2)
			}
			putBits(data[at:], k.Bytes(), bits)
		}
		buffers, named[b.Name] = append(buffers, data), data
	}
	launch.Buffers, launch.Grid, launch.Workers = buffers, [3]uint32{1, 1, 1}, 1
	items, err := p.Run(&launch)
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Text())
	}
	return named, items
}

// kindNamed returns the kind of an input's elements, or u32.
func kindNamed(name string) scalar.Kind {
	for k := range scalar.Count {
		if k.String() == name {
			return k.Held()
		}
	}
	return scalar.U32
}

// tilePasses are what lowers random kernels: mostly only the passes for tiles, else also the
// portable passes, before or after those.
func tilePasses(seed uint64, tilePass opt.Pass) []opt.Pass {
	tiles := []opt.Pass{opt.PromoteTiles, tilePass}
	switch seed % 8 {
	case 1:
		return append(opt.Standard(), tiles...)
	case 2:
		return append(tiles, opt.Standard()...)
	}
	return tiles
}

// compareTiles compares the results of a random kernel with those of its lowering, whose text is
// given. In the checked mode neither may have an error.
func compareTiles(t *testing.T, seed uint64, before, after *ir.Module, text string, launch interp.Launch) {
	t.Helper()
	want, _ := launchTiles(t, before, seed, interp.Launch{})
	got, _ := launchTiles(t, after, seed, launch)
	for n := range got { // what nothing uses can be absent
		if !bytes.Equal(want[n], got[n]) {
			t.Fatalf("seed %d: buffer %s differs:\n%x\nbefore\n%x\n%s\nafter:\n%s", seed, n, got[n], want[n], before.Text(), text)
		}
	}
	launch.Checked = true
	for _, m := range []*ir.Module{before, after} {
		_, items := launchTiles(t, m, seed, launch)
		for _, d := range items {
			if d.Severity == diag.Error {
				t.Fatalf("seed %d: %s\n%s", seed, d.Message, m.Text())
			}
		}
	}
}

// TestTilesOnRandomKernels compares random kernels with their lowering, in which the checked mode
// must find no race.
func TestTilesOnRandomKernels(t *testing.T) {
	packed := 0
	for seed := range 4 * seedCount() {
		m := irtest.Parse(t, randomTiles(seed))
		before := m.Clone()
		c := &opt.Context{List: new(diag.List), Verify: true}
		pass := lower.Tiles
		if isPacked(seed) {
			pass = lower.PackedTiles
		}
		c.Run(m, tilePasses(seed, pass), ir.Initial)
		if n, _ := m.ConstUint(m.Kernels()[0].Workgroup[0]); isPacked(seed) && n == lower.TileLanes {
			packed++
		}
		compareTiles(t, seed, before, m, m.Text(), interp.Launch{})
	}
	if packed == 0 {
		t.Error("no kernel has packed tiles")
	}
}
