// Package memory has what makes or names memory in ways that kernels do not.
package memory

import "github.com/gpuc/gpuc/runtime/gpu"

type view struct {
	data []float32
	n    int
}

func (v view) at(i int) float32 { return v.data[i] }

type node struct {
	value float32
	next  *node
}

type point struct{ x, y float32 }

func newPoint(x, y float32) *point { return &point{x, y} }

func rows(x []float32) [][]float32 { return nil } // want "kernels have no slices of type \[\]\[\]float32, which hold slices of type \[\]float32"

//gpuc:kernel workgroup=64
func Slices(it gpu.Item, x []float32) {
	a := make([]float32, 4) // want "kernels do not call make"
	b := []float32{1, 2, 3} // want "kernels make no slices"
	c := append(x, 1)       // want "kernels do not call append"
	copy(x, x[1:])          // want "kernels do not call copy"
	clear(x)                // want "kernels do not call clear"
	d := new(float32)       // want "kernels do not call new"
	*d = a[0] + b[0] + c[0]
	e := make([]float32, it.Index(), 64) // want "kernels do not call make"
	x[0] = e[0]
	for _, v := range []float32{1, 2} { // want "kernels make no slices"
		x[1] += v
	}
	var f [][]float32 // want "kernels have no slices of type \[\]\[\]float32, which hold slices of type \[\]float32"
	x[2] = f[0][0]
	g := rows(x)
	x[3] = g[0][0]
	h := [2][]float32{x[:2], x[2:]} // want "kernels have no values of type \[2\]\[\]float32, which hold slices of type \[\]float32"
	x[4] = h[0][0]
	x = append(x[:1], x[2:]...)    // want "kernels do not call append"
	x[5] = sum([]float32{1, 2}...) // want "kernels make no slices"
	bytes := make([]byte, 4)       // want "kernels do not call make"
	x[6] = float32(bytes[0])
}

func sum(x ...float32) (s float32) {
	for _, v := range x {
		s += v
	}
	return s
}

//gpuc:kernel workgroup=64
func Maps(it gpu.Item, x []float32) {
	m := make(map[int]float32) // want "kernels do not call make"
	m[1] = x[0]
	n := map[string]int{"a": 1} // want "kernels have no maps"
	delete(m, 1)
	for k, v := range m {
		x[k] = v
	}
	if v, ok := m[2]; ok {
		x[1] = v
	}
	var o map[int]bool // want "kernels have no values of type map\[int\]bool"
	if o[3] {
		x[2] = float32(n["a"])
	}
	for k := range map[int]int{1: 2} { // want "kernels range over integers, slices and arrays, and this is a map"
		x[k] = 1
	}
	x[3] = float32(len(m))
}

//gpuc:kernel workgroup=64
func Channels(it gpu.Item, x []float32) {
	c := make(chan float32) // want "kernels do not call make"
	c <- x[0]
	x[1] = <-c
	for v := range c {
		x[2] = v
	}
	close(c)
	var done chan struct{} // want "kernels have no values of type chan struct\{\}"
	<-done
	select { // want "kernels have no select"
	case v := <-c:
		x[3] = v
	default:
	}
	select {} // want "kernels have no select"
}

//gpuc:kernel workgroup=64
func Pointers(it gpu.Item, x []float32) {
	v := view{x, 3}
	x[0] = v.at(1)
	var n node // want "kernels have no values of type node, which hold pointers of type \*node"
	n.value = 1
	x[1] = n.value
	p := &x[0]
	q := &p // want "kernels do not point to a variable that is a pointer itself, as \*\*float32 does"
	**q = 2
	s := x[1:]
	t := &s // want "kernels do not point to a variable that is a slice itself, as \*\[\]float32 does"
	(*t)[0] = 3
	if p == nil { // want "kernels compare nothing but slices with nil"
		return
	}
	if x != nil {
		x[2] = 1
	}
	var u *float32 = nil // want "kernels have no nil"
	*u = 1
	if p == &x[1] { // want "kernels do not compare pointers"
		x[3] = 1
	}
	x = nil
	a := newPoint(1, 2)
	b := new(point) // want "kernels do not call new"
	x[4] = a.x + b.x
	w := &view{data: x}
	x[5] = w.at(1)
	list := &node{1, nil} // want "kernels have no pointers of type \*node, which hold pointers of type \*node"
	x[6] = list.next.value
}

//gpuc:kernel workgroup=64
func Conversions(it gpu.Item, x []float32) {
	a := [4]float32(x[:4])               // want "kernels do not convert slices to arrays"
	p := (*[4]float32)(x)                // want "kernels do not convert slices to arrays"
	for i, v := range (*[4]float32)(x) { // want "kernels do not convert slices to arrays"
		x[i] = v
	}
	x[0] = a[0] + p[1] + sum()
}
