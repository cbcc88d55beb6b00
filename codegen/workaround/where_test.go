package workaround_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/codegen/workaround/nvidia"
	"github.com/gpuc/gpuc/codegen/workaround/ptxas"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// TestWhere checks the sets of operations of rewrite.Rules.Where: rules change no function that the
// pass skips. With Verify, Where panics otherwise. The functions have two operations, of which the
// second uses the first, with variables and constants as other operands.
func TestWhere(t *testing.T) {
	operands := func(ops []op.Op, others ...string) (forms []string) { // $ is the first operation
		for _, o := range ops {
			for _, other := range others {
				forms = append(forms, fmt.Sprintf("%s $, %s", o, other), fmt.Sprintf("%s %s, $", o, other))
			}
		}
		return forms
	}
	unary := []string{"neg $", "not $", "abs $"}
	binary := []op.Op{op.Add, op.Sub, op.Mul, op.And, op.Or, op.Xor, op.Min, op.Max}
	for _, p := range []struct {
		pass   *opt.Pass
		kind   string
		first  []string
		second []string
	}{
		{&ptxas.NegateBySubtraction, "i32", append(operands(binary, "%x", "0i", "-1i", "7i"), unary...),
			append(operands(binary, "%x", "0i", "-1i", "7i"), unary...)},
		{&nvidia.SplitExtendedShift, "i64", append(operands(binary, "%x", "1li", "2147483648li"), "neg $", "convert %n", "shl $, 1u"),
			[]string{"shl $, 31u", "shl $, 30u", "mul $, 2147483648li", "mul 2147483648li, $", "mul $, 1073741824li", "add $, $"}},
	} {
		changed := 0
		for _, first := range p.first {
			for _, second := range p.second {
				text := fmt.Sprintf("fn @f(%%x: %[1]s, %%y: %[1]s, %%n: i32) : %[1]s {\n  %%a = %[2]s : %[1]s\n  %%b = %[3]s : %[1]s\n  return %%b\n}\n",
					p.kind, strings.ReplaceAll(first, "$", "%y"), strings.ReplaceAll(second, "$", "%a"))
				m := irtest.Parse(t, text)
				before := m.Text()
				p.pass.Run(&opt.Context{List: new(diag.List), Verify: true}, m)
				if m.Text() != before {
					changed++
				}
			}
		}
		if changed == 0 {
			t.Errorf("pass %s changes no function", p.pass.Name)
		}
	}
}

// TestWhereInKernels is TestWhere for the exec kernels.
func TestWhereInKernels(t *testing.T) {
	files, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels: ", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var set source.Set
		list := new(diag.List)
		file, err := set.Add(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{}, list)
		if err != nil || m == nil {
			t.Fatal(name, err, list.Items())
		}
		for _, k := range m.Kernels() {
			for _, target := range []*codegen.Target{&spirv.Target, &ptx.Target} {
				codegen.Compile(m, k.Name, target, &codegen.Options{NoOptimize: true, Context: &opt.Context{Verify: true}}, list)
			}
		}
		for _, d := range list.Items() {
			if d.Code == diag.Internal {
				t.Errorf("%s: %s", name, d.Message)
			}
		}
	}
}
