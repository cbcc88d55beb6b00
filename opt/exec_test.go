package opt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// census counts what the passes are to remove.
type census struct {
	insts, vars, loads, calls int
}

func count(m *ir.Module) (c census) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			c.insts++
			switch f.Op(i) {
			case op.Var:
				c.vars++
			case op.Load:
				c.loads++
			case op.Call:
				c.calls++
			}
		}
	}
	return c
}

// indexedDynamically reports whether some access of a variable has an index that
// is not constant.
func indexedDynamically(f *ir.Func, v ir.Value) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Access && f.Arg(i, 0) == v {
			for _, index := range f.Args(i)[1:] {
				if !index.IsConst() {
					return true
				}
			}
		}
	}
	return false
}

// TestExecKernels optimises every kernel of testdata/exec. Afterwards only
// arrays that are indexed dynamically are function variables, no call is left,
// and there are fewer loads than before. testdata/benchmarks/compile/variables
// prints the counts of each kernel.
func TestExecKernels(t *testing.T) {
	files, err := filepath.Glob("../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	var before, after census
	c := &opt.Context{List: new(diag.List), Verify: true}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".wgsl")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set, list := new(source.Set), new(diag.List)
		f, err := set.Add(file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		m := wgsl.Load(set, f, wgsl.Options{}, list)
		if m == nil {
			t.Errorf("%s does not compile: %+v", name, list.Items()[0])
			continue
		}
		// an override without a default stays one: the passes do not mind
		ir.BindOverrides(m, nil, list)
		before.add(count(m))
		c.Run(m, opt.Standard(), ir.Structured)
		after.add(count(m))
		for _, f := range m.Funcs {
			for i := f.First(f.Entry); i != 0; i = f.Next(i) {
				if f.Op(i) == op.Var && !indexedDynamically(f, f.Result(i)) {
					t.Errorf("%s: in @%s stays %s, which is not indexed dynamically:\n%s", name, f.Name, f.InstText(i), m.Text())
				}
			}
		}
		if calls := count(m).calls; calls > 0 {
			t.Errorf("%s: %d calls are left", name, calls)
		}
	}
	t.Logf("%d kernels: %d → %d instructions, %d → %d variables, %d → %d loads", len(files),
		before.insts, after.insts, before.vars, after.vars, before.loads, after.loads)
	if after.vars*5 > before.vars || after.loads*2 > before.loads || after.insts > before.insts {
		t.Error("the passes leave more than a fifth of the variables, half of the loads, or more instructions")
	}
}

func (c *census) add(d census) {
	c.insts += d.insts
	c.vars += d.vars
	c.loads += d.loads
	c.calls += d.calls
}
