package opt_test

import (
	"bytes"
	"fmt"
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
	insts, vars, loads, stores, control, calls int
}

func count(m *ir.Module) (c census) {
	for _, f := range m.Funcs {
		c.block(f, f.Entry)
	}
	return c
}

func (c *census) block(f *ir.Func, b ir.Block) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		c.insts++
		switch o := f.Op(i); {
		case o == op.Var:
			c.vars++
		case o == op.Load:
			c.loads++
		case o == op.Store:
			c.stores++
		case o == op.Call:
			c.calls++
		case o.Is(op.Control):
			c.control++
			for _, inner := range f.Blocks(i) {
				c.block(f, ir.Block(inner))
			}
		}
	}
}

// indexedDynamically reports whether some access of a variable has an index that
// is not constant.
func indexedDynamically(f *ir.Func, v ir.Value, b ir.Block) bool {
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i) == op.Access && f.Arg(i, 0) == v {
			for _, index := range f.Args(i)[1:] {
				if !index.IsConst() {
					return true
				}
			}
		}
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				if indexedDynamically(f, v, ir.Block(inner)) {
					return true
				}
			}
		}
	}
	return false
}

const tableStart, tableEnd = "<!-- table: go test ./opt -run TestExecKernels -update -->\n", "<!-- end of table -->\n"

// TestExecKernels optimises every kernel of testdata/exec. Afterwards only
// arrays that are indexed dynamically are function variables, and no call is
// left. The table in docs/optimisation.md says what became of each kernel.
func TestExecKernels(t *testing.T) {
	files, err := filepath.Glob("../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	var table bytes.Buffer
	table.WriteString(tableStart + "\n| kernel | instructions | variables | loads |\n|---|--:|--:|--:|\n")
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
		if ir.BindOverrides(m, nil, list); list.Errors() > 0 {
			list.Reset() // an override without default: the passes do not mind
		}
		x := count(m)
		c.Run(m, opt.Standard, 0)
		y := count(m)
		for _, f := range m.Funcs {
			for i := f.First(f.Entry); i != 0; i = f.Next(i) {
				if f.Op(i) == op.Var && !indexedDynamically(f, f.Result(i), f.Entry) {
					t.Errorf("%s: in @%s stays %s, which is not indexed dynamically:\n%s", name, f.Name, f.InstText(i), m.Text())
				}
			}
		}
		if y.calls > 0 {
			t.Errorf("%s: %d calls are left", name, y.calls)
		}
		fmt.Fprintf(&table, "| %s | %d → %d | %d → %d | %d → %d |\n", name, x.insts, y.insts, x.vars, y.vars, x.loads, y.loads)
		before.add(x)
		after.add(y)
	}
	fmt.Fprintf(&table, "| **all** | %d → %d | %d → %d | %d → %d |\n\n"+tableEnd, before.insts, after.insts, before.vars, after.vars, before.loads, after.loads)
	const path = "../docs/optimisation.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := bytes.Cut(doc, []byte(tableStart))
	_, tail, ended := bytes.Cut(rest, []byte(tableEnd))
	if !found || !ended {
		t.Fatalf("%s has no place for the table", path)
	}
	want := append(append(append([]byte(nil), head...), table.Bytes()...), tail...)
	switch {
	case *update:
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	case !bytes.Equal(doc, want):
		t.Errorf("the table in %s is not up to date: run go test ./opt -run TestExecKernels -update", path)
	}
}

func (c *census) add(d census) {
	c.insts += d.insts
	c.vars += d.vars
	c.loads += d.loads
}
