package expr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
)

func TestDump(t *testing.T) {
	c := open(t, "cpu:0")
	dump := func(name string, x *expr.Tensor) {
		s, err := c.Explain(x)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for line := range strings.Lines(s) {
			if strings.HasPrefix(line, "    ") {
				b.WriteString(line[4:])
			}
		}
		os.WriteFile("/tmp/h1x/"+name+".wgsl", []byte(b.String()), 0o644)
		t.Log(name, strings.Count(s, "kernel "))
	}
	n := 4096
	x := expr.From(c, make([]gpu.Float16, n*n), n, n)
	w := expr.From(c, make([]gpu.Float16, n*n), n, n)
	b := expr.From(c, make([]gpu.Float16, n), n)
	dump("f16", x.MatMul(w).Add(b).GELU())
	dump("f16p", x.MatMul(w))
	y := expr.From(c, make([]float32, n*n), n, n)
	v := expr.From(c, make([]float32, n*n), n, n)
	d := expr.From(c, make([]float32, n), n)
	dump("f32", y.MatMul(v).Add(d).GELU())
	dump("softmax", expr.From(c, make([]float32, 8192*4096), 8192, 4096).Softmax(-1))
	dump("layernorm", expr.From(c, make([]float32, 8192*4096), 8192, 4096).LayerNorm(d, d, 1e-5))
	dump("sum", expr.From(c, make([]float32, 8192*4096), 8192, 4096).Sum())
}
