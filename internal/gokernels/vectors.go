package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

// Short names for the vectors of package gpu. In WGSL's memory layout a vec3 has the size of a
// vec4: Padded is a vec3 with the padding.

type (
	Vec2f = gpu.Vec2f
	Vec3f = gpu.Vec3f
	Vec4f = gpu.Vec4f
	Vec2u = gpu.Vec2u
	Vec3u = gpu.Vec3u
	Vec4u = gpu.Vec4u
	Vec2i = gpu.Vec2i
	Vec3i = gpu.Vec3i
	Vec4i = gpu.Vec4i
)

type Padded[E gpu.Number] struct {
	gpu.Vec3[E]
	Padding E
}

// of2, of3 and of4 return a component by its index.

func of2[E gpu.Number](v gpu.Vec2[E], i int) E {
	if i == 0 {
		return v.X
	}
	return v.Y
}

func of3[E gpu.Number](v gpu.Vec3[E], i int) E {
	switch i {
	case 0:
		return v.X
	case 1:
		return v.Y
	}
	return v.Z
}

func of4[E gpu.Number](v gpu.Vec4[E], i int) E {
	switch i {
	case 0:
		return v.X
	case 1:
		return v.Y
	case 2:
		return v.Z
	}
	return v.W
}

// mix returns the point between a and b at weight t.
func mix(a, b, t float32) float32 { return a*(1-t) + b*t }

func saturate(x float32) float32 { return gpu.Clamp(x, 0, 1) }

// Matrices are arrays of columns, unlike gpu's, so that kernels can index columns.

type Mat4 [4]Vec4f

func (m Mat4) Times(v Vec4f) Vec4f {
	return m[0].Scale(v.X).Add(m[1].Scale(v.Y)).Add(m[2].Scale(v.Z)).Add(m[3].Scale(v.W))
}

func (m Mat4) Transposed() Mat4 {
	return Mat4{
		gpu.V4(m[0].X, m[1].X, m[2].X, m[3].X), gpu.V4(m[0].Y, m[1].Y, m[2].Y, m[3].Y),
		gpu.V4(m[0].Z, m[1].Z, m[2].Z, m[3].Z), gpu.V4(m[0].W, m[1].W, m[2].W, m[3].W),
	}
}

type Mat3 [3]Vec3f

func (m Mat3) Times(v Vec3f) Vec3f {
	return m[0].Scale(v.X).Add(m[1].Scale(v.Y)).Add(m[2].Scale(v.Z))
}

func (m Mat3) Product(n Mat3) Mat3 { return Mat3{m.Times(n[0]), m.Times(n[1]), m.Times(n[2])} }

func (m Mat3) Determinant() float32 { return m[0].Dot(m[1].Cross(m[2])) }
