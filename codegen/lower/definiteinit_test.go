package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// tileWriter writes random kernels that fill a tile and read it after a barrier.
type tileWriter struct {
	random *rand.Rand
	text   strings.Builder
	names  int
}

func (w *tileWriter) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// value writes an expression of some values and returns its name.
func (w *tileWriter) value(depth int, values ...string) string {
	if depth == 0 || w.random.IntN(4) == 0 {
		if w.random.IntN(4) == 0 {
			return fmt.Sprintf("%du", w.random.IntN(9))
		}
		return values[w.random.IntN(len(values))]
	}
	a, b := w.value(depth-1, values...), w.value(depth-1, values...)
	o := [...]string{"add", "add", "mul", "xor", "and", "or", "div", "rem", "min", "max", "sub"}[w.random.IntN(11)]
	w.names++
	w.line("%%e%d = %s %s, %s : u32", w.names, o, a, b)
	return fmt.Sprintf("%%e%d", w.names)
}

// index writes an expression that is an index of the tile, and sometimes one out of range.
func (w *tileWriter) index(size int, values ...string) string {
	v := w.value(3, values...)
	if w.random.IntN(8) > 0 {
		w.names++
		w.line("%%e%d = rem %s, %du : u32", w.names, v, size)
		v = fmt.Sprintf("%%e%d", w.names)
	}
	return v
}

func (w *tileWriter) store(size int, values ...string) {
	v := w.index(size, values...)
	w.names++
	w.line("%%p%d = access @tile, %s : ptr<workgroup, u32>\nstore %%p%d, 7u", w.names, v, w.names)
}

// statement writes a store, a branch or a loop.
func (w *tileWriter) statement(size, depth int, values ...string) {
	kind := w.random.IntN(6)
	if depth == 0 {
		kind = 0
	}
	w.names++
	n := w.names
	switch kind {
	default:
		w.store(size, values...)
	case 3:
		c := "%input"
		if w.random.IntN(2) == 0 {
			c = w.value(2, values...)
		}
		w.line("%%c%d = gt %s, %du : bool\nif ^b%d %%c%d {", n, c, w.random.IntN(6), n, n)
		w.statement(size, depth-1, values...)
		w.line("exit ^b%d()\n} else {", n)
		if w.random.IntN(2) == 0 {
			w.statement(size, depth-1, values...)
		}
		w.line("exit ^b%d()\n}", n)
	case 4, 5:
		start := w.value(1, values...)
		w.line("loop ^l%d(%%k%d: u32 = %s) {\n%%c%d = lt %%k%d, %du : bool\nif ^b%d %%c%d {\nexit ^b%d()\n} else {\nexit ^l%d()\n}",
			n, n, start, n, n, w.random.IntN(20), n, n, n, n)
		inside := append([]string{fmt.Sprintf("%%k%d", n)}, values...)
		w.statement(size, depth-1, inside...)
		if w.random.IntN(3) == 0 {
			c := "%input"
			if w.random.IntN(2) == 0 {
				c = w.value(2, inside...)
			}
			w.line("%%d%d = gt %s, %du : bool\nif ^x%d %%d%d {\nexit ^l%d()\n} else {\nexit ^x%d()\n}", n, c, w.random.IntN(9), n, n, n, n)
			w.statement(size, depth-1, inside...)
		}
		w.line("continue ^l%d()\n} continuing {\n%%n%d = add %%k%d, %du : u32\nnext ^l%d(%%n%d)\n}", n, n, n, 1+w.random.IntN(8), n, n)
	}
}

// kernel returns the text of a module.
func (w *tileWriter) kernel() string {
	size := 4 + w.random.IntN(16)
	w.line("var @tile : ptr<workgroup, array<u32, %du>>", size)
	w.line("var @in : ptr<storage, array<u32, 64u>> [group 0, binding 0]\nvar @out : ptr<storage, array<u32>, read_write> [group 0, binding 1]\n")
	w.line("kernel @main(%%id: vec3<u32> [local_invocation_id], %%i: u32 [local_invocation_index]) [workgroup 4u, 2u, 1u] {")
	w.line("%%x = extract %%id, 0u : u32\n%%y = extract %%id, 1u : u32\n%%pin = access @in, %%i : ptr<storage, u32>\n%%input = load %%pin : u32")
	values := []string{"%x", "%y", "%i"}
	for range 1 + w.random.IntN(3) {
		w.statement(size, 2, values...)
	}
	w.line("barrier [workgroup]")
	for n := range 2 {
		v := w.index(size, values...)
		w.line("%%q%d = access @tile, %s : ptr<workgroup, u32>\n%%v%d = load %%q%d : u32", n, v, n, n)
	}
	w.line("%%sum = add %%v0, %%v1 : u32\n%%po = access @out, %%i : ptr<storage, u32, read_write>\nstore %%po, %%sum\nreturn\n}")
	return w.text.String()
}

// TestDefiniteInit runs random kernels with the checked interpreter. It finds no read of
// uninitialised workgroup memory in kernels that the pass leaves alone. Some kernels must be left
// alone, and some must read such memory.
func TestDefiniteInit(t *testing.T) {
	left, zeroed, needed := 0, 0, 0
	for seed := range uint64(1500) {
		w := &tileWriter{random: rand.New(rand.NewPCG(seed, 3))}
		m := irtest.Parse(t, w.kernel())
		before := m.Clone()
		c := &opt.Context{List: new(diag.List)}
		c.Run(m, []opt.Pass{guard.ZeroInitWorkgroup}, guard.ZeroInitWorkgroup.Needs)
		faulty := false
		for data := range uint64(3) {
			faulty = faulty || found(t, &guard.ZeroInitWorkgroup, before, data+1) > 0
		}
		switch {
		case m.Text() != before.Text():
			zeroed++
			if faulty {
				needed++
			}
		case faulty:
			t.Errorf("seed %d: uninitialised memory is read in\n%s", seed, before.Text())
		default:
			left++
		}
	}
	t.Logf("%d kernels are left alone, %d are given zeros, which %d of them need", left, zeroed, needed)
	if left < 100 || needed < 100 || zeroed-needed > needed {
		t.Errorf("%d kernels are left alone, %d are given zeros, which %d of them need", left, zeroed, needed)
	}
}
