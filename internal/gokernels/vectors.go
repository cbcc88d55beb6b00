package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

// Vectors as WGSL's vec2, vec3 and vec4. In the memory of WGSL a vec3 takes the room of a vec4:
// Padded is one with what is behind it.

type Vec2[E gpu.Number] struct{ X, Y E }

type Vec3[E gpu.Number] struct{ X, Y, Z E }

type Vec4[E gpu.Number] struct{ X, Y, Z, W E }

type Padded[E gpu.Number] struct {
	Vec3[E]
	Padding E
}

type (
	Vec2f = Vec2[float32]
	Vec3f = Vec3[float32]
	Vec4f = Vec4[float32]
	Vec2u = Vec2[uint32]
	Vec3u = Vec3[uint32]
	Vec4u = Vec4[uint32]
	Vec2i = Vec2[int32]
	Vec4i = Vec4[int32]
)

func (a Vec2[E]) Add(b Vec2[E]) Vec2[E] { return Vec2[E]{a.X + b.X, a.Y + b.Y} }
func (a Vec2[E]) Sub(b Vec2[E]) Vec2[E] { return Vec2[E]{a.X - b.X, a.Y - b.Y} }
func (a Vec2[E]) Scale(s E) Vec2[E]     { return Vec2[E]{a.X * s, a.Y * s} }
func (a Vec2[E]) Dot(b Vec2[E]) E       { return a.X*b.X + a.Y*b.Y }

// At returns a component by its number.
func (a Vec2[E]) At(i int) E {
	if i == 0 {
		return a.X
	}
	return a.Y
}

// At returns a component by its number.
func (a Vec3[E]) At(i int) E {
	switch i {
	case 0:
		return a.X
	case 1:
		return a.Y
	}
	return a.Z
}

func (a Vec3[E]) Add(b Vec3[E]) Vec3[E] { return Vec3[E]{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a Vec3[E]) Sub(b Vec3[E]) Vec3[E] { return Vec3[E]{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }
func (a Vec3[E]) Mul(b Vec3[E]) Vec3[E] { return Vec3[E]{a.X * b.X, a.Y * b.Y, a.Z * b.Z} }
func (a Vec3[E]) Scale(s E) Vec3[E]     { return Vec3[E]{a.X * s, a.Y * s, a.Z * s} }
func (a Vec3[E]) Dot(b Vec3[E]) E       { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }
func (a Vec3[E]) With(w E) Vec4[E]      { return Vec4[E]{a.X, a.Y, a.Z, w} }
func (a Vec3[E]) Cross(b Vec3[E]) Vec3[E] {
	return Vec3[E]{a.Y*b.Z - a.Z*b.Y, a.Z*b.X - a.X*b.Z, a.X*b.Y - a.Y*b.X}
}

// At returns a component by its number.
func (a Vec4[E]) At(i int) E {
	switch i {
	case 0:
		return a.X
	case 1:
		return a.Y
	case 2:
		return a.Z
	}
	return a.W
}

func (a Vec4[E]) Add(b Vec4[E]) Vec4[E] { return Vec4[E]{a.X + b.X, a.Y + b.Y, a.Z + b.Z, a.W + b.W} }
func (a Vec4[E]) Sub(b Vec4[E]) Vec4[E] { return Vec4[E]{a.X - b.X, a.Y - b.Y, a.Z - b.Z, a.W - b.W} }
func (a Vec4[E]) Mul(b Vec4[E]) Vec4[E] { return Vec4[E]{a.X * b.X, a.Y * b.Y, a.Z * b.Z, a.W * b.W} }
func (a Vec4[E]) Scale(s E) Vec4[E]     { return Vec4[E]{a.X * s, a.Y * s, a.Z * s, a.W * s} }
func (a Vec4[E]) Dot(b Vec4[E]) E       { return a.X*b.X + a.Y*b.Y + a.Z*b.Z + a.W*b.W }
func (a Vec4[E]) XYZ() Vec3[E]          { return Vec3[E]{a.X, a.Y, a.Z} }
func (a Vec4[E]) Array() [4]E           { return [4]E{a.X, a.Y, a.Z, a.W} }

func length(v Vec3f) float32      { return gpu.Sqrt(v.Dot(v)) }
func distance(a, b Vec3f) float32 { return length(a.Sub(b)) }
func normalize(v Vec3f) Vec3f     { return v.Scale(1 / length(v)) }

// reflect returns direction d mirrored at a surface with normal n.
func reflect(d, n Vec3f) Vec3f { return d.Sub(n.Scale(2 * n.Dot(d))) }

// mix returns the point between a and b at weight t.
func mix(a, b, t float32) float32 { return a*(1-t) + b*t }

func saturate(x float32) float32 { return min(max(x, 0), 1) }

// Matrices are arrays of columns.

type Mat4 [4]Vec4f

func (m Mat4) Times(v Vec4f) Vec4f {
	return m[0].Scale(v.X).Add(m[1].Scale(v.Y)).Add(m[2].Scale(v.Z)).Add(m[3].Scale(v.W))
}

func (m Mat4) Transposed() Mat4 {
	return Mat4{
		{m[0].X, m[1].X, m[2].X, m[3].X}, {m[0].Y, m[1].Y, m[2].Y, m[3].Y},
		{m[0].Z, m[1].Z, m[2].Z, m[3].Z}, {m[0].W, m[1].W, m[2].W, m[3].W},
	}
}

type Mat3 [3]Vec3f

func (m Mat3) Times(v Vec3f) Vec3f {
	return m[0].Scale(v.X).Add(m[1].Scale(v.Y)).Add(m[2].Scale(v.Z))
}

func (m Mat3) Product(n Mat3) Mat3 { return Mat3{m.Times(n[0]), m.Times(n[1]), m.Times(n[2])} }

func (m Mat3) Determinant() float32 { return m[0].Dot(m[1].Cross(m[2])) }
