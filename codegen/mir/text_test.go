package mir_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file holds the parts of the package against testdata/mir/<part>/*.txt: functions as
// text, and what the part says or makes of them. Only what cleaning makes is ever written by a
// program: everything else was worked out by hand.

var update = flag.Bool("update", false, "write what cleaning makes to testdata")

// textTests runs a test for each file of a part.
func textTests(t *testing.T, part string, test func(t *testing.T, file string, texts map[string]string)) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/mir/" + part + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are none", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			_, texts := irtest.Sections(t, file)
			test(t, file, texts)
		})
	}
}

// functionOf reads a text without a module that has one function.
func functionOf(t *testing.T, text string) *mir.Func {
	t.Helper()
	functions := functionsOf(t, text)
	if len(functions) != 1 {
		t.Fatalf("%d functions", len(functions))
	}
	return functions[0]
}

func functionsOf(t *testing.T, text string) []*mir.Func {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("in", text)
	if err != nil {
		t.Fatal(err)
	}
	functions := mir.Parse(ir.NewModule(&set), nil, file, &list)
	for _, d := range list.Items() {
		t.Fatalf("%s: %s", set.Position(d.Span.Start), d.Message)
	}
	return functions
}

func verified(t *testing.T, f *mir.Func) *mir.Func {
	t.Helper()
	if err := f.Verify(); err != nil {
		t.Fatalf("%v in\n%s", err, f.Text())
	}
	return f
}

// TestCleaning cleans the section in and expects the section out. The machine of the tests runs
// both and compares what they return and leave in memory.
func TestCleaning(t *testing.T) {
	textTests(t, "clean", func(t *testing.T, file string, texts map[string]string) {
		before, after := verified(t, functionOf(t, texts["in"])), functionOf(t, texts["in"])
		mir.Clean(after)
		verified(t, after)
		if *update {
			irtest.WriteSection(t, file, "out", after.Text())
		} else if diff := cmp.Diff(texts["out"], after.Text()); diff != "" {
			t.Errorf("another result (-want +got):\n%s", diff)
		}
		ended := 0
		for seed := range uint64(20) {
			want, got := run(before, seed), run(after, seed)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: another outcome (-before +after):\n%s", seed, diff)
			}
			if want.Problem == "" {
				ended++
			}
		}
		if wants := strings.TrimSpace(texts["ends"]) != "never"; wants != (ended > 0) {
			t.Errorf("%d of 20 runs end", ended)
		}
	})
}

// outcome is what a run of a function returns and leaves.
type outcome struct {
	Results []uint64
	Buffers [][]byte
	Problem string
}

// run executes a function on the machine of the tests with small parameters and buffers.
func run(f *mir.Func, seed uint64) outcome {
	random := rand.New(rand.NewPCG(seed, 1))
	kernel := &abi.Kernel{Workgroup: [3]uint32{4, 1, 1}, Bindings: make([]abi.Binding, 2)}
	x := machine{m: f.Module, info: kernel, funcs: map[*ir.Func]*mir.Func{f.Source: f}, addresses: map[any]uint64{}, steps: maxSteps - 1e5}
	x.add(f)
	for range kernel.Bindings {
		buffer := make([]byte, 64)
		for n := range buffer {
			buffer[n] = byte(random.IntN(5))
		}
		x.buffers = append(x.buffers, buffer)
	}
	out := outcome{Buffers: x.buffers}
	var err error
	if f.Source.Kernel {
		err = x.run([3]uint32{2, 1, 1})
	} else {
		var params []uint64
		for _, p := range f.Params {
			x := uint64(random.IntN(5))
			if p.Class() == mir.Predicate {
				x %= 2
			}
			params = append(params, x)
		}
		i := invocation{memory: make([]byte, x.sizes[ir.Private]), wait: func(error) bool { return true }}
		out.Results, err = x.execute(&i, f, params)
	}
	if err != nil {
		out.Problem = err.Error()
	}
	return out
}

// TestMoves expects, in the section moves, the assignments for each edge that passes something in
// their order. Made one by one they do what making all of them at once does.
func TestMoves(t *testing.T) {
	textTests(t, "copies", func(t *testing.T, _ string, texts map[string]string) {
		f := verified(t, functionOf(t, texts["in"]))
		var c mir.Copies
		var got strings.Builder
		for _, b := range f.Order {
			for _, e := range f.Edges(f.Last(b)) {
				c.Begin(f)
				c.Edge(e)
				ordered := slices.Clone(c.Ordered())
				if len(ordered) == 0 {
					continue
				}
				fmt.Fprintf(&got, "b%d to b%d\n", b, e.To)
				for _, m := range ordered {
					fmt.Fprintf(&got, "  %s = %s\n", f.OperandString(m.To), f.OperandString(m.From))
				}
				// operands map to their own values before
				at := map[mir.Operand]mir.Operand{}
				value := func(o mir.Operand) mir.Operand {
					if v, assigned := at[o]; assigned {
						return v
					}
					return o
				}
				for _, m := range ordered {
					at[m.To] = value(m.From)
				}
				for n, p := range f.BlockParams(e.To) {
					if want := f.EdgeArgs(e)[n]; value(p) != want {
						t.Errorf("%s is %s, expected %s", f.OperandString(p), f.OperandString(value(p)), f.OperandString(want))
					}
				}
			}
		}
		if diff := cmp.Diff(texts["moves"], got.String()); diff != "" {
			t.Errorf("other moves (-want +got):\n%s", diff)
		}
	})
}

// TestLiveSets compares three sections. The section live has the registers that are live where each
// block begins, without its parameters. The section pressure has the most that are live at once, by
// class. The section early has the arguments of each branch that may be assigned before it, and
// those that may only together with the other edge's.
func TestLiveSets(t *testing.T) {
	textTests(t, "live", func(t *testing.T, _ string, texts map[string]string) {
		f := verified(t, functionOf(t, texts["in"]))
		var l mir.Liveness
		l.Analyse(f, false)
		var live, early strings.Builder
		for _, b := range f.Order {
			list := l.LiveIn(nil, b)
			slices.Sort(list)
			fmt.Fprintf(&live, "b%d:", b)
			for _, r := range list {
				live.WriteString(" " + f.OperandString(r))
			}
			live.WriteString("\n")
			last := f.Last(b)
			if f.Op(last) != mir.Branch {
				continue
			}
			for n, e := range f.Edges(last) {
				if len(f.EdgeArgs(e)) == 0 {
					continue
				}
				says := "late"
				switch alone, with := l.Early(last, n, false), l.Early(last, n, true); {
				case alone && with:
					says = "early"
				case alone:
					t.Error("early alone, but not together")
				case with:
					says = "early together"
				}
				fmt.Fprintf(&early, "b%d to b%d: %s\n", b, e.To, says)
			}
		}
		pressure := l.Pressure()
		most := fmt.Sprintf("p %d, h %d, r %d, d %d\n", pressure[mir.Predicate], pressure[mir.Half], pressure[mir.Word], pressure[mir.Long])
		for _, section := range []struct{ name, got string }{{"live", live.String()}, {"pressure", most}, {"early", early.String()}} {
			if diff := cmp.Diff(texts[section.name], section.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", section.name, diff)
			}
		}
	})
}

// TestRefused expects that the verifier refuses the section in with the section error.
func TestRefused(t *testing.T) {
	textTests(t, "verify", func(t *testing.T, _ string, texts map[string]string) {
		functions := functionsOf(t, texts["in"])
		err := functions[len(functions)-1].Verify()
		for _, f := range functions[:len(functions)-1] {
			verified(t, f)
		}
		if want := strings.TrimSpace(texts["error"]); err == nil || err.Error() != want {
			t.Errorf("%v, expected\n%s", err, want)
		}
	})
}

// TestMachineDiffers: two functions that differ have different outcomes on the machine, so that
// equal ones say something.
func TestMachineDiffers(t *testing.T) {
	const text = "fn @f(%r1, %d1)\nb1:\n  %r2 = add.u32 %r1, 1u\n  return %r2\n"
	one, other := functionOf(t, text), functionOf(t, strings.Replace(text, "1u", "2u", 1))
	if a, b := run(one, 3), run(other, 3); a.Results[0]+1 != b.Results[0] || !bytes.Equal(a.Buffers[1], b.Buffers[1]) {
		t.Errorf("%v and %v", a, b)
	}
}
