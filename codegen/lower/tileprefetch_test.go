package lower_test

import (
	little "encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// prefetchKernel multiplies COUNT tiles of ROWS by DEPTH and DEPTH by COLUMNS elements. A prefetch
// notes its address in a log.
const prefetchKernel = `
var @a : ptr<storage, array<f32, 16000u>> [group 0, binding 0]
var @b : ptr<storage, array<f32, 16000u>> [group 0, binding 1]
var @c : ptr<storage, array<f32, 6144u>, read_write> [group 0, binding 2]
var @log_a : ptr<storage, array<u32, 20000u>, read_write> [group 0, binding 3]
var @log_b : ptr<storage, array<u32, 20000u>, read_write> [group 0, binding 4]
kernel @main() [workgroup 8u, 1u, 1u] {
  %r = loop ^l(%k: i32 = 0i, %s: SUM = zero<SUM>) : SUM {
    %a = tile_load @a, 5i, LEFT, ROWSi, KEYSi, 0i, %k : tile<f32, ROWS, DEPTH>
    %b = tile_load @b, 7i, RIGHT, KEYSi, COLUMNSi, %k, 0i : tile<f32, DEPTH, COLUMNS>
    %p = tile_mul_add %a, %b, %s : SUM
    continue ^l(%p)
  } continuing(%z: SUM) {
    %m = add %k, DEPTHi : i32
    %q = ge %m, KEYSi : bool
    next ^l(%m, %z) break_if %q(%z)
  }
  tile_store @c, 0i, COLUMNSi, 1i, ROWSi, COLUMNSi, 0i, 0i, %r
  return
}
`

// TestPrefetches finds, for tiles of several shapes, that the iterations of a loop prefetch all
// lines of what later ones load, and few others.
func TestPrefetches(t *testing.T) {
	defer func(depth int) { *lower.DeferredDepth = depth }(*lower.DeferredDepth)
	for _, c := range []struct {
		rows, depth, columns, count int
		left, right                 [2]int // strides of rows and columns
		deferred                    int    // iterations that are multiplied at once
	}{
		{rows: 24, depth: 32, columns: 32, count: 4, left: [2]int{150, 1}, right: [2]int{40, 1}, deferred: 1},
		{rows: 13, depth: 40, columns: 24, count: 3, left: [2]int{131, 1}, right: [2]int{1, 121}, deferred: 1},
		{rows: 40, depth: 33, columns: 16, count: 3, left: [2]int{1, 44}, right: [2]int{20, 1}, deferred: 1},
		{rows: 48, depth: 32, columns: 128, count: 2, left: [2]int{70, 1}, right: [2]int{130, 1}, deferred: 1},
		{rows: 20, depth: 8, columns: 48, count: 9, left: [2]int{80, 1}, right: [2]int{50, 1}, deferred: 3},
	} {
		*lower.DeferredDepth = c.deferred * c.depth
		strides := func(s [2]int) string { return fmt.Sprintf("%di, %di", s[0], s[1]) }
		m := irtest.Parse(t, strings.NewReplacer("SUM", fmt.Sprintf("tile<f32, %d, %d>", c.rows, c.columns), "ROWS", fmt.Sprint(c.rows),
			"DEPTH", fmt.Sprint(c.depth), "COLUMNS", fmt.Sprint(c.columns), "KEYS", fmt.Sprint(c.depth*c.count),
			"LEFT", strides(c.left), "RIGHT", strides(c.right)).Replace(prefetchKernel))
		context := &opt.Context{List: new(diag.List), Verify: true}
		context.Run(m, []opt.Pass{lower.PackedTiles}, ir.Initial)
		logPrefetches(m)
		logs := runPrefetches(t, m)
		for n, x := range []struct {
			offset, rows, columns int
			strides               [2]int
			rowStep, columnStep   int
		}{
			{5, c.rows, c.depth, c.left, 0, c.depth},
			{7, c.depth, c.columns, c.right, c.depth, 0},
		} {
			lines := map[int]bool{}
			for iteration := c.deferred; iteration < c.count; iteration++ {
				for row := range x.rows {
					for column := range x.columns {
						at := x.offset + (row+iteration*x.rowStep)*x.strides[0] + (column+iteration*x.columnStep)*x.strides[1]
						// a run of lines begins with the element, wherever that is in its line
						if along := [2]int{row, column}[map[bool]int{true: 1}[x.strides[1] == 1]]; along%16 == 0 {
							lines[at] = true
						}
					}
				}
			}
			missing := 0
			for at := range lines {
				if !logs[n][at] {
					missing++
				}
			}
			if missing > 0 || len(logs[n]) > 3*len(lines) {
				t.Errorf("%+v: of %d lines of operand %d %d are not prefetched, and there are %d prefetches", c, len(lines), n, missing, len(logs[n]))
			}
		}
	}
}

// logPrefetches has each prefetch of @a and @b add the element that it names to the log.
func logPrefetches(m *ir.Module) {
	f := m.Kernels()[0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Intrinsic {
			continue
		}
		log := ir.GlobalValue(int(f.Arg(i, 0).Index()) + 3)
		b := ir.Builder{F: f}
		b.SetBefore(i)
		count := b.Access(log, m.ConstU32(0))
		next := b.Op(op.Add, b.Load(count), m.ConstU32(1))
		b.Store(count, next)
		b.Store(b.Access(log, next), b.Op(op.Add, f.Arg(i, 1), b.Op(op.Div, f.Arg(i, 2), m.ConstU32(4))))
	}
}

// runPrefetches returns the elements in the logs.
func runPrefetches(t *testing.T, m *ir.Module) (logs [2]map[int]bool) {
	t.Helper()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Grid: [3]uint32{1, 1, 1}, Workers: 1}
	for _, b := range p.Bindings() {
		launch.Buffers = append(launch.Buffers, make([]byte, b.Size))
	}
	if _, err := p.Run(&launch); err != nil {
		t.Fatal(err)
	}
	for n, b := range p.Bindings() {
		name, is := strings.CutPrefix(b.Name, "log_")
		if !is {
			continue
		}
		words := launch.Buffers[n]
		logs[name[0]-'a'] = map[int]bool{}
		for k := range little.LittleEndian.Uint32(words) {
			logs[name[0]-'a'][int(little.LittleEndian.Uint32(words[4*k+4:]))] = true
		}
	}
	return logs
}
