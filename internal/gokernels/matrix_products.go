package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

// vector is a type of matrix columns.
type vector[V any] interface {
	Add(V) V
	Scale(float32) V
}

// times2, times3 and times4 return products of a matrix with 2, 3 or 4 columns and a vector.

func times2[V vector[V]](m [2]V, v Vec2f) V { return m[0].Scale(v.X).Add(m[1].Scale(v.Y)) }

func times3[V vector[V]](m [3]V, v Vec3f) V {
	return m[0].Scale(v.X).Add(m[1].Scale(v.Y)).Add(m[2].Scale(v.Z))
}

func times4[V vector[V]](m [4]V, v Vec4f) V {
	return m[0].Scale(v.X).Add(m[1].Scale(v.Y)).Add(m[2].Scale(v.Z)).Add(m[3].Scale(v.W))
}

// then concatenates two vectors.
func then(a, b Vec2f) Vec4f { return gpu.V4(a.X, a.Y, b.X, b.Y) }

//gpuc:kernel workgroup=4
func MatrixProducts(it gpu.Item, data []Vec4f, results [][12]Vec4f, determinants []Vec4f) {
	i := it.Index()
	if i >= len(results) {
		return
	}
	a, b, c := data[i], data[i+1], data[i+2]
	m22 := [2]Vec2f{a.XY(), b.ZW()}
	m32 := [3]Vec2f{a.XY(), b.XY(), c.XY()}
	m23 := [2]Vec3f{a.XYZ(), gpu.V3(b.Y, b.Z, b.W)}
	m42 := [4]Vec2f{a.XY(), a.ZW(), b.XY(), b.ZW()}
	m24 := [2]Vec4f{b, c}
	m33 := Mat3{a.XYZ(), b.XYZ(), c.XYZ()}
	m34 := [3]Vec4f{a, b, c}
	m43 := [4]Vec3f{a.XYZ(), gpu.V3(b.Y, b.Z, b.W), c.XYZ(), gpu.V3(a.W, a.Z, a.Y)}
	m44 := Mat4{a, b, c, gpu.V4f(1, 2, 3, 4)}
	left, right := a.XY(), b.XY()

	var r [12]Vec4f
	r[0] = then(times2(m22, left), gpu.V2(right.Dot(m22[0]), right.Dot(m22[1])))
	first := gpu.V2f(times2(m23, m32[0]).X, times2(m23, m32[1]).X) // of the first row
	r[1] = then(times3(m32, c.XYZ()), left.Mul(first))
	r[2] = m44.Times(a).Sub(m44.Transposed().Times(b))
	r[3] = times4(m43, b).With(m22[0].Y)
	r[4] = gpu.V3f(a.Dot(m34[0]), a.Dot(m34[1]), a.Dot(m34[2])).With(m43[3].Z)
	r[5] = times3(m34, m43[2])
	r[6] = times4(m43, m34[1]).With(of4(m44[1], i%4))
	r[7] = times2(m24, m42[3])
	r[8] = m44.Transposed()[i%4].Add(m44[3].Scale(2).Sub(m44[3]))
	r[9] = then(m22[1].Add(times2(m22, m22[1])), times4(m42, m24[0]))
	n := m33.Product(m33)
	n[1] = n[1].Add(n[0])
	for k := range n {
		n[k] = n[k].Scale(0.5)
	}
	r[10] = n[1].With(n[i%3].Z)
	v := a.XYZ()
	r[11] = gpu.V3f(v.Dot(n[0]), v.Dot(n[1]), v.Dot(n[2])).With(-m33[2].X)
	results[i] = r

	turned := Mat3{gpu.V3(m33[0].X, m33[1].X, m33[2].X), gpu.V3(m33[0].Y, m33[1].Y, m33[2].Y), gpu.V3(m33[0].Z, m33[1].Z, m33[2].Z)}
	square := Array4{{a.X, a.Y, a.Z, a.W}, {b.X, b.Y, b.Z, b.W}, {c.X, c.Y, c.Z, c.W}, {1, 2, 3, 4}}
	determinants[i] = gpu.V4f(
		m22[0].X*m22[1].Y-m22[0].Y*m22[1].X, m33.Determinant(), square.determinant(), turned.Determinant(),
	)
}
