package lower_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

// tableProgram has a table of words, which is indexed, loaded and copied, and a table of structures
// with gaps. It stores the first as a constant. Together they have all kinds of pointers.
func tableProgram(words int) string {
	numbers := make([]string, words)
	for n := range numbers {
		numbers[n] = fmt.Sprint(n*n+1, "u")
	}
	array := fmt.Sprintf("array<u32, %du>", words)
	constant := array + "(" + strings.Join(numbers, ", ") + ")"
	return fmt.Sprintf(`struct S [size 48, align 16] { a: u32 [offset 0], v: vec3<f32> [offset 16], b: bool [offset 32] }
var @t : ptr<constant, %[1]s> = %[2]s
var @s : ptr<constant, array<S, 2u>> = array<S, 2u>(S(5u, vec3<f32>(1f, 2f, 3f), true), S(6u, vec3<f32>(4f, 5f, 6f), false))
var @x : ptr<storage, array<u32>> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 2, binding 7]
var @p : ptr<private, %[1]s>

kernel @main() [workgroup 1u, 1u, 1u] {
  %%v = var : ptr<function, %[1]s>
  %%xp = access @x, 1u : ptr<storage, u32>
  %%i = load %%xp : u32
  %%e = access @t, %%i : ptr<constant, u32>
  %%e1 = load %%e : u32
  copy %%v, @t
  store @p, %[2]s
  %%pv = access %%v, %%i : ptr<function, u32>
  %%e2 = load %%pv : u32
  %%pp = access @p, %%i : ptr<private, u32>
  %%e3 = load %%pp : u32
  %%k = and %%i, 1u : u32
  %%sp = access @s, %%k : ptr<constant, S>
  %%s = load %%sp : S
  %%sa = extract %%s, 0u : u32
  %%fp = access %%sp, 1u, 2u : ptr<constant, f32>
  %%f = load %%fp : f32
  %%g = bitcast %%f : u32
  %%b = extract %%s, 2u : bool
  %%h = convert %%b : u32
  %%y0 = access @y, 0u : ptr<storage, u32, read_write>
  store %%y0, %%e1
  %%y1 = access @y, 1u : ptr<storage, u32, read_write>
  store %%y1, %%e2
  %%y2 = access @y, 2u : ptr<storage, u32, read_write>
  store %%y2, %%e3
  %%y3 = access @y, 3u : ptr<storage, u32, read_write>
  store %%y3, %%sa
  %%y4 = access @y, 4u : ptr<storage, u32, read_write>
  store %%y4, %%g
  %%y5 = access @y, 5u : ptr<storage, u32, read_write>
  store %%y5, %%h
  return
}
`, array, constant)
}

// TestTables moves tables of 1 KiB and more to a buffer, with the last binding, and reads the same
// values from it.
func TestTables(t *testing.T) {
	for _, test := range []struct {
		words int
		moved bool
	}{{232, false}, {233, true}} { // 96 bytes are structures
		m, _, items := ir.ParseString(tableProgram(test.words))
		if m == nil {
			t.Fatalf("does not parse: %+v", items)
		}
		before := m.Text()
		var list diag.List
		c := &opt.Context{List: &list, Verify: true}
		c.Run(m, []opt.Pass{lower.Tables}, ir.Initial|lower.Tables.Needs)
		text := m.Text()
		if !test.moved {
			if text != before {
				t.Errorf("tables of 1 KiB are moved:\n%s", text)
			}
			continue
		}
		for _, want := range []string{
			"[group 2, binding 8]", "access @constant.tables, 0u, %i : ptr<storage, u32>",
			"access @constant.tables, 1u, %k : ptr<storage, S>", "access %sp, 1u, 2u : ptr<storage, f32>",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if strings.Contains(text, "store @p") || strings.Contains(text, "access @t") {
			t.Errorf("tables are still in the code:\n%s", text)
		}
		g := &m.Globals[len(m.Globals)-1]
		table := make([]byte, m.Size(m.Element(g.Type)))
		m.PutConst(table, g.Init)
		p, err := interp.Compile(m, m.Kernels()[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint32(test.words) {
			y := make([]byte, 24)
			reports, err := p.Run(&interp.Launch{Buffers: [][]byte{words(0, i), y, table}, Grid: [3]uint32{1, 1, 1}, Checked: true})
			if err != nil || len(reports) > 0 {
				t.Fatal(err, reports)
			}
			want := words(i*i+1, i*i+1, i*i+1, 5, 0x40400000, 1) // 3f
			if i%2 == 1 {
				want = words(i*i+1, i*i+1, i*i+1, 6, 0x40c00000, 0) // 6f
			}
			if !bytes.Equal(y, want) {
				t.Fatalf("at %d: got %v, want %v", i, y, want)
			}
		}
	}
}

// words returns the bytes of values in memory.
func words(list ...uint32) (b []byte) {
	for _, x := range list {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}
