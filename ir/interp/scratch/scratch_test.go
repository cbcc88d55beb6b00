package scratch

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/exectest"
)

func TestAll(t *testing.T) {
	for _, c := range exectest.Cases() {
		for _, checked := range []bool{false, true} {
			name := c.Name
			if checked {
				name += "/checked"
			}
			t.Run(name, func(t *testing.T) {
				text, _ := os.ReadFile("../../../" + c.File())
				contents := c.Contents()
				for i, b := range contents {
					w := make([]uint64, (len(b)+7)/8+1)
					n := unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), len(b))
					copy(n, b)
					contents[i] = n
				}
				start := time.Now()
				for _, d := range c.Dispatches {
					var set source.Set
					var list diag.List
					file, _ := set.Add(c.File(), string(text))
					m, err := frontend.Load(&set, file, frontend.Options{}, &list)
					if err != nil || m == nil {
						t.Fatal(err, list.Items())
					}
					var settings []ir.Setting
					for _, o := range d.Overrides {
						settings = append(settings, ir.Setting{Key: o.Name, Value: o.Value})
					}
					ir.BindOverrides(m, settings, &list)
					ir.Verify(m, &list)
					if list.Errors() > 0 {
						var b strings.Builder
						diag.Write(&b, &set, list.Items())
						t.Fatal(b.String())
					}
					p, err := interp.Compile(m, m.Func(d.Entry))
					if err != nil {
						t.Fatal(err)
					}
					l := interp.Launch{Grid: d.Grid, Checked: checked}
					for _, b := range p.Bindings() {
						i := slices.IndexFunc(c.Buffers, func(x exectest.Buffer) bool { return x.Name == b.Name })
						l.Buffers = append(l.Buffers, contents[i])
					}
					items, err := p.Run(&l)
					if err != nil {
						t.Fatal(err)
					}
					if len(items) > 0 {
						var b strings.Builder
						diag.Write(&b, m.Sources, items)
						t.Error(b.String())
					}
				}
				t.Log(time.Since(start))
				if err := exectest.Compare(&c, c.Expected(), contents); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
