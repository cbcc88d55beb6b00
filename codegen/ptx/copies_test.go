package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/emulate"
	emulator "github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// copyHead begins a kernel that multiplies the matrices in a and b, whose numbers are in views. It
// does all tiles of c that its workgroup gets.
const copyHead = `enable gpuc_tile; enable f16;
struct Sizes { a: tile_view, b: tile_view, c: tile_view, limit: u32, flag: u32 }
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Sizes;
@compute @workgroup_size($items)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let across = (s.c.columns + $columns - 1) / $columns;
  for (var n = group.x; n < across * ((s.c.rows + $rows - 1) / $rows); n += groups.x) {
    let row = n / across * $rows; let column = n % across * $columns;
    var sums = tile<f32, $rows, $columns>();
`

const copyTail = `
    tileStore(&c, s.c, row, column, sums);
  }
}
`

// copyLoops are loops with products.
var copyLoops = []struct {
	name, text string
	stages     bool // whether the operands come by copies
	// parts are how often columns of a from one limit to another are counted, by what s.limit and
	// s.flag are.
	parts func(limit, flag, k int) [][3]int
}{
	{"plain", `for (var k = 0u; k < s.a.columns; k += $depth) {
      sums = tileMulAdd(tileLoad<tile<f16, $rows, $depth>>(&a, s.a, row, k), tileLoad<tile<f16, $depth, $columns>>(&b, s.b, k, column), sums);
    }`, true, func(_, _, k int) [][3]int { return [][3]int{{0, k, 1}} }},
	{"two products", `for (var k = 0u; k < s.a.columns; k += $depth) {
      let y = tileLoad<tile<f16, $depth, $columns>>(&b, s.b, k, column);
      sums = tileMulAdd(tileLoad<tile<f16, $rows, $depth>>(&a, s.a, row, k), y, sums);
      if s.flag == 1 { sums = tileSplat<tile<f32, $rows, $columns>>(0); }
      sums = tileMulAdd(tileLoad<tile<f16, $rows, $depth>>(&a, s.a, row, k), tileLoad<tile<f16, $depth, $columns>>(&b, s.b, k, column), sums);
    }`, true, func(_, flag, k int) [][3]int {
		if flag == 1 { // only the last product of the last iteration
			return [][3]int{{max(k-1, 0) / 32 * 32, k, 1}}
		}
		return [][3]int{{0, k, 2}}
	}},
	{"break", `for (var k = 0u; k < s.a.columns; k += $depth) {
      let y = tileLoad<tile<f16, $depth, $columns>>(&b, s.b, k, column);
      let x = tileLoad<tile<f16, $rows, $depth>>(&a, s.a, row, k);
      sums = tileMulAdd(x, y, sums);
      if k >= s.limit { break; }
    }`, true, func(limit, _, k int) [][3]int { return [][3]int{{0, min(k, (limit+31)/32*32+32), 1}} }},
	{"down", `for (var k = i32(s.limit); k >= 0; k -= $depth) {
      let y = tileLoad<tile<f16, $depth, $columns>>(&b, s.b, k, column);
      let x = tileLoad<tile<f16, $rows, $depth>>(&a, s.a, row, k);
      sums = tileMulAdd(x, y, sums);
    }`, true, func(limit, _, k int) [][3]int { return [][3]int{{limit % 32, min(k, limit+32), 1}} }},
	{"continue", `for (var k = 0u; k < s.a.columns; k += $depth) {
      if k / $depth % 2 == s.flag { continue; }
      let y = tileLoad<tile<f16, $depth, $columns>>(&b, s.b, k, column);
      let x = tileLoad<tile<f16, $rows, $depth>>(&a, s.a, row, k);
      sums = tileMulAdd(x, y, sums);
    }`, false, func(_, flag, k int) (list [][3]int) {
		for first := 0; first < k; first += 32 {
			if first/32%2 != flag {
				list = append(list, [3]int{first, min(first+32, k), 1})
			}
		}
		return list
	}},
}

// copyKernel returns a kernel for tiles of some sizes. Its loops advance by 32.
func copyKernel(loop, items, rows, columns string) string {
	return strings.NewReplacer("$items", items, "$rows", rows, "$columns", columns, "$depth", "32").Replace(copyHead + loop + copyTail)
}

// copyView has the numbers of a matrix in its array.
type copyView struct{ offset, rows, columns, rowStride, columnStride int }

// copyLaunch is a product of m×k and k×n elements.
type copyLaunch struct {
	m, n, k     int
	spare       int  // elements behind each row or column
	offset      int  // of the first element
	a, b        bool // whether columns are contiguous
	groups      int
	limit, flag int
	cut         int // elements that the arrays lack
}

// Sizes are multiples of all and of none, lines begin at multiples of 16 bytes or not.
var copyLaunches = []copyLaunch{
	{m: 64, n: 64, k: 256, groups: 1, limit: 96},
	{m: 64, n: 64, k: 256, groups: 4, limit: 64, a: true, b: true, flag: 1},
	{m: 70, n: 40, k: 200, groups: 2, limit: 40, spare: 8, offset: 16},
	{m: 33, n: 90, k: 136, groups: 3, limit: 100, spare: 6, offset: 8, flag: 1, b: true},
	{m: 33, n: 61, k: 77, groups: 3, limit: 70},
	{m: 64, n: 64, k: 77, groups: 1, limit: 77}, // lines of b alone are aligned
	{m: 33, n: 64, k: 64, groups: 3, limit: 33, offset: 3, a: true},
	{m: 64, n: 64, k: 33, groups: 1, limit: 0, spare: 7, offset: 8},
	{m: 64, n: 64, k: 8, groups: 1, limit: 5, flag: 1},
	{m: 64, n: 32, k: 0, groups: 1},
	{m: 64, n: 64, k: 96, groups: 1, limit: 64, cut: 24},
}

// runCopies runs a launch, and compares the result with a product of integers.
func runCopies(a *abi.Artefact, l copyLaunch, parts [][3]int) error {
	view := func(rows, columns int, isTransposed bool) copyView {
		if isTransposed {
			return copyView{l.offset, rows, columns, 1, rows + l.spare}
		}
		return copyView{l.offset, rows, columns, columns + l.spare, 1}
	}
	views := [3]copyView{view(l.m, l.k, l.a), view(l.k, l.n, l.b), view(l.m, l.n, false)}
	var arrays [3][]int
	var buffers [4][]byte
	for n, v := range views {
		arrays[n] = make([]int, l.offset+(max(v.rows, 1)+l.spare)*(max(v.columns, 1)+l.spare))
		if n < 2 {
			for k := range arrays[n] {
				arrays[n][k] = (7*k+k/3)%7 - 3
			}
			arrays[n] = arrays[n][:len(arrays[n])-l.cut]
		}
		for _, x := range arrays[n] {
			if n == 2 {
				buffers[n] = binary.LittleEndian.AppendUint32(buffers[n], math.Float32bits(99))
			} else {
				buffers[n] = binary.LittleEndian.AppendUint16(buffers[n], gpu.ToFloat16(float32(x)).Bits())
			}
		}
		for _, x := range [...]int{v.offset, v.rows, v.columns, v.rowStride, v.columnStride} {
			buffers[3] = binary.LittleEndian.AppendUint32(buffers[3], uint32(x))
		}
	}
	buffers[3] = binary.LittleEndian.AppendUint32(buffers[3], uint32(l.limit))
	buffers[3] = binary.LittleEndian.AppendUint32(buffers[3], uint32(l.flag))
	launch := emulate.Launch{Entry: "main", Grid: [3]uint32{uint32(l.groups), 1, 1}, Steps: 1 << 28}
	for n, data := range buffers {
		launch.Buffers = append(launch.Buffers, emulate.Buffer{Binding: uint32(n), Data: data})
	}
	if err := emulator.Run(a.Code, &a.Kernel, &launch); err != nil {
		return err
	}
	at := func(n, row, column int) int {
		v := views[n]
		if k := v.offset + row*v.rowStride + column*v.columnStride; k < len(arrays[n]) {
			return arrays[n][k]
		}
		return 0
	}
	for i := range l.m {
		for j := range l.n {
			want := 0
			for _, p := range parts {
				for k := p[0]; k < p[1]; k++ {
					want += p[2] * at(0, i, k) * at(1, k, j)
				}
			}
			place := l.offset + i*views[2].rowStride + j
			if got := math.Float32frombits(binary.LittleEndian.Uint32(buffers[2][4*place:])); got != float32(want) {
				return fmt.Errorf("row %d, column %d is %v, want %d", i, j, got, want)
			}
		}
	}
	return nil
}

// compileCopies compiles a kernel for devices with asynchronous copies, and says which of its
// products have how many stages.
func compileCopies(t *testing.T, text string) (*abi.Artefact, *codegen.Report) {
	t.Helper()
	target, err := ptx.Target.With("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	report := &codegen.Report{}
	a := codegen.Compile(loadText(t, "copies.wgsl", text, 0), "", target, &codegen.Options{Report: report}, nil)
	if a == nil {
		t.Fatalf("does not compile:\n%s", text)
	}
	return a, report
}

// TestCopies runs products whose operands come by asynchronous copies.
func TestCopies(t *testing.T) {
	for n, loop := range copyLoops {
		a, report := compileCopies(t, copyKernel(loop.text, "64", "32", "32"))
		for _, p := range report.Products {
			if (p.Stages > 1) != loop.stages || (p.Why == "") != loop.stages {
				t.Errorf("%s: a product has %d stages, %q", loop.name, p.Stages, p.Why)
			}
		}
		if is := strings.Contains(string(a.Code), "cp.async.cg"); is != loop.stages || len(report.Products) == 0 {
			t.Errorf("%s: there are copies: %v, of %d products", loop.name, is, len(report.Products))
		}
		if ptxas := findAssembler(); ptxas != "" {
			assemble(t, ptxas, "copies "+loop.name, string(a.Code), "sm_80")
		}
		for k, l := range copyLaunches {
			if !testmode.Sampled(n+k, 2) {
				continue
			}
			if err := runCopies(a, l, loop.parts(l.limit, l.flag, l.k)); err != nil {
				t.Errorf("%s, %+v: %v\n%s", loop.name, l, err, numbered(string(a.Code)))
			}
		}
	}
}

var waits = regexp.MustCompile(`\t(bar\.sync|cp\.async\.(wait|commit)_group)[^\n]*\n`)

// TestCopyMutants removes each wait, each commit and each barrier of a kernel, which the emulator
// finds out. Of the barriers outside of the loop over k one is enough, so that they go together.
func TestCopyMutants(t *testing.T) {
	a, _ := compileCopies(t, copyKernel(copyLoops[0].text, "64", "32", "32"))
	l := copyLaunch{m: 64, n: 64, k: 224, groups: 1}
	all := waits.FindAllIndex(a.Code, -1)
	var mutants [][][]int
	var outside [][]int
	inLoop := false
	for _, at := range all {
		switch text := string(a.Code[at[0]:at[1]]); {
		case strings.Contains(text, "wait_group 0"):
			inLoop = false
		case strings.Contains(text, "wait_group"):
			inLoop = true
		case strings.Contains(text, "bar.sync") && !inLoop:
			outside = append(outside, at)
			continue
		}
		mutants = append(mutants, [][]int{at})
	}
	mutants = append(mutants, outside)
	if len(mutants) < 6 {
		t.Fatalf("%d waits:\n%s", len(all), a.Code)
	}
	for _, list := range mutants {
		mutant := *a
		mutant.Code = slices.Clone(a.Code)
		for _, at := range list {
			copy(mutant.Code[at[0]:at[1]-1], strings.Repeat(" ", at[1]-at[0]-1))
		}
		if runCopies(&mutant, l, [][3]int{{0, l.k, 1}}) == nil {
			at := list[0]
			t.Errorf("without line %d, %s, the kernel runs", 1+strings.Count(string(a.Code[:at[0]]), "\n"), a.Code[at[0]+1:at[1]-1])
		}
	}
}

// bytesKernel multiplies bytes: the columns of a are contiguous, and the rows of b. What u has are
// the rows, columns and depth of the product, and the elements from one line to the next.
const bytesKernel = `var @a : ptr<storage, array<$T>> [group 0, binding 0]
var @b : ptr<storage, array<$T>> [group 0, binding 1]
var @c : ptr<storage, array<$S>, read_write> [group 0, binding 2]
var @u : ptr<uniform, array<vec4<i32>, 2u>> [group 0, binding 3]

kernel @main(%group: vec3<u32> [workgroup_id]) [workgroup 64u, 1u, 1u] {
  %pm = access @u, 0u, 0u : ptr<uniform, i32>
  %m = load %pm : i32
  %pn = access @u, 0u, 1u : ptr<uniform, i32>
  %n = load %pn : i32
  %pk = access @u, 0u, 2u : ptr<uniform, i32>
  %depth = load %pk : i32
  %ps = access @u, 0u, 3u : ptr<uniform, i32>
  %stride = load %ps : i32
  %x = extract %group, 0u : u32
  %y = extract %group, 1u : u32
  %xi = bitcast %x : i32
  %yi = bitcast %y : i32
  %column = mul %xi, 32i : i32
  %row = mul %yi, 32i : i32
  %sums = var : ptr<function, tile<$S, 32, 32>>
  store %sums, zero<tile<$S, 32, 32>>
  loop ^depth(%k: i32 = 0i) {
    %more = lt %k, %depth : bool
    if ^test %more {
      exit ^test()
    } else {
      exit ^depth()
    }
    %l = tile_load @a, 0i, %stride, 1i, %m, %depth, %row, %k : tile<$T, 32, 64>
    %r = tile_load @b, 0i, 1i, %stride, %depth, %n, %k, %column : tile<$T, 64, 32>
    %s = load %sums : tile<$S, 32, 32>
    %t = tile_mul_add %l, %r, %s : tile<$S, 32, 32>
    store %sums, %t
    continue ^depth()
  } continuing {
    %next = add %k, 64i : i32
    next ^depth(%next)
  }
  %result = load %sums : tile<$S, 32, 32>
  tile_store @c, 0i, %n, 1i, %m, %n, %row, %column, %result
  return
}
`

// TestCopiesOfBytes runs products of bytes.
func TestCopiesOfBytes(t *testing.T) {
	target, err := ptx.Target.With("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	for _, signed := range [...]bool{true, false} {
		names := strings.NewReplacer("$T", "u8", "$S", "u32")
		if signed {
			names = strings.NewReplacer("$T", "i8", "$S", "i32")
		}
		m, _, items := ir.ParseString(names.Replace(bytesKernel))
		if m == nil {
			t.Fatal(items)
		}
		a := codegen.Compile(m, "", target, &codegen.Options{}, nil)
		if a == nil || !strings.Contains(string(a.Code), "cp.async.cg") || !strings.Contains(string(a.Code), "ldmatrix") {
			t.Fatalf("there are no copies: %s", a.Code)
		}
		for _, l := range [...]struct{ m, n, k, stride int }{{32, 32, 256, 256}, {40, 50, 200, 208}, {33, 31, 77, 77}, {32, 64, 16, 32}, {32, 32, 0, 16}} {
			buffers := [4][]byte{make([]byte, l.m*l.stride), make([]byte, l.n*l.stride), make([]byte, 4*l.m*l.n), nil}
			value := func(n, at int) int {
				if x := buffers[n][at]; !signed {
					return int(x)
				} else {
					return int(int8(x))
				}
			}
			for n := range 2 {
				for k := range buffers[n] {
					buffers[n][k] = byte(37*k + k/7 + n)
				}
			}
			for _, x := range [...]int{l.m, l.n, l.k, l.stride, 0, 0, 0, 0} {
				buffers[3] = binary.LittleEndian.AppendUint32(buffers[3], uint32(x))
			}
			launch := emulate.Launch{Entry: "main", Grid: [3]uint32{uint32(l.n+31) / 32, uint32(l.m+31) / 32, 1}, Steps: 1 << 28}
			for n, data := range buffers {
				launch.Buffers = append(launch.Buffers, emulate.Buffer{Binding: uint32(n), Data: data})
			}
			if err := emulator.Run(a.Code, &a.Kernel, &launch); err != nil {
				t.Fatalf("%+v: %v\n%s", l, err, numbered(string(a.Code)))
			}
			for i := range l.m {
				for j := range l.n {
					want := 0
					for k := range l.k {
						want += value(0, i*l.stride+k) * value(1, j*l.stride+k)
					}
					if got := binary.LittleEndian.Uint32(buffers[2][4*(i*l.n+j):]); got != uint32(want) {
						t.Fatalf("%+v: row %d, column %d is %d, want %d", l, i, j, int32(got), want)
					}
				}
			}
		}
	}
}
