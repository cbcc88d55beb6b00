package expr_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
)

func TestSmoke(t *testing.T) {
	d, err := gpu.Open(gpu.Named("cpu:checked"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := expr.New(d)
	if err != nil {
		t.Fatal(err)
	}
	x := expr.From(c, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4)
	y := expr.From(c, []float32{10, 20}, 2, 1)
	show := func(r *expr.Tensor) {
		s, err := c.Explain(r)
		fmt.Println(s, err)
		v, err := expr.Read[float32](context.Background(), r)
		fmt.Println(r.Shape(), v, err)
	}
	show(x.Mul(y).Add(c.Scalar(1)))
	show(x.Transpose().Add(c.Scalar(1)))
	show(x.Softmax(-1))
	show(x.Softmax(0))
	show(x.Sum(1))
	show(x.Sum())
	show(x.MatMul(x.Transpose()).Add(y).GELU())
	w := make([]float32, 2*4*100)
	for i := range w {
		w[i] = float32(i % 7)
	}
	z := expr.From(c, w, 2, 400)
	show(z.LayerNorm(nil, nil, 1e-5).Slice(1, 0, 8))
	show(z.Softmax(1).Slice(1, 0, 8))
	show(z.Softmax(1))
}
