package gpu

// Vectors of two to four numbers and square matrices of f32. Components are consecutive in memory,
// on hosts and on devices, so that a Vec3f has 12 bytes. Kernels compute with them by component:
// devices run the code below. The compiler reads this file of the package only (isForKernels in
// frontend/gokernel); the others stay on the host or are built in.

// Vec2, Vec3 and Vec4 are vectors with numbers of any type.
type (
	Vec2[T Number] struct{ X, Y T }
	Vec3[T Number] struct{ X, Y, Z T }
	Vec4[T Number] struct{ X, Y, Z, W T }
)

// The vectors that buffers hold: of float32, int32 and uint32.
type (
	Vec2f = Vec2[float32]
	Vec3f = Vec3[float32]
	Vec4f = Vec4[float32]
	Vec2i = Vec2[int32]
	Vec3i = Vec3[int32]
	Vec4i = Vec4[int32]
	Vec2u = Vec2[uint32]
	Vec3u = Vec3[uint32]
	Vec4u = Vec4[uint32]
)

// V2 makes a vector.
func V2[T Number](x, y T) Vec2[T] { return Vec2[T]{x, y} }

// V3 makes a vector.
func V3[T Number](x, y, z T) Vec3[T] { return Vec3[T]{x, y, z} }

// V4 makes a vector.
func V4[T Number](x, y, z, w T) Vec4[T] { return Vec4[T]{x, y, z, w} }

// V2f makes a vector of float32, of constants too.
func V2f(x, y float32) Vec2f { return Vec2f{x, y} }

// V3f makes a vector of float32, of constants too.
func V3f(x, y, z float32) Vec3f { return Vec3f{x, y, z} }

// V4f makes a vector of float32, of constants too.
func V4f(x, y, z, w float32) Vec4f { return Vec4f{x, y, z, w} }

// Add adds by component.
func (v Vec2[T]) Add(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X + w.X, v.Y + w.Y} }

// Sub subtracts by component.
func (v Vec2[T]) Sub(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X - w.X, v.Y - w.Y} }

// Mul multiplies by component.
func (v Vec2[T]) Mul(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X * w.X, v.Y * w.Y} }

// Div divides by component.
func (v Vec2[T]) Div(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X / w.X, v.Y / w.Y} }

// Scale multiplies each component by s.
func (v Vec2[T]) Scale(s T) Vec2[T] { return Vec2[T]{v.X * s, v.Y * s} }

// Add adds by component.
func (v Vec3[T]) Add(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Sub subtracts by component.
func (v Vec3[T]) Sub(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X - w.X, v.Y - w.Y, v.Z - w.Z} }

// Mul multiplies by component.
func (v Vec3[T]) Mul(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X * w.X, v.Y * w.Y, v.Z * w.Z} }

// Div divides by component.
func (v Vec3[T]) Div(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X / w.X, v.Y / w.Y, v.Z / w.Z} }

// Scale multiplies each component by s.
func (v Vec3[T]) Scale(s T) Vec3[T] { return Vec3[T]{v.X * s, v.Y * s, v.Z * s} }

// Add adds by component.
func (v Vec4[T]) Add(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X + w.X, v.Y + w.Y, v.Z + w.Z, v.W + w.W} }

// Sub subtracts by component.
func (v Vec4[T]) Sub(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X - w.X, v.Y - w.Y, v.Z - w.Z, v.W - w.W} }

// Mul multiplies by component.
func (v Vec4[T]) Mul(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X * w.X, v.Y * w.Y, v.Z * w.Z, v.W * w.W} }

// Div divides by component.
func (v Vec4[T]) Div(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X / w.X, v.Y / w.Y, v.Z / w.Z, v.W / w.W} }

// Scale multiplies each component by s.
func (v Vec4[T]) Scale(s T) Vec4[T] { return Vec4[T]{v.X * s, v.Y * s, v.Z * s, v.W * s} }

// Dot is the dot product.
func (v Vec2[T]) Dot(w Vec2[T]) T { return v.X*w.X + v.Y*w.Y }

// Dot is the dot product.
func (v Vec3[T]) Dot(w Vec3[T]) T { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }

// Dot is the dot product.
func (v Vec4[T]) Dot(w Vec4[T]) T { return v.X*w.X + v.Y*w.Y + v.Z*w.Z + v.W*w.W }

// Min is the minimum by component.
func (v Vec2[T]) Min(w Vec2[T]) Vec2[T] { return Vec2[T]{min(v.X, w.X), min(v.Y, w.Y)} }

// Max is the maximum by component.
func (v Vec2[T]) Max(w Vec2[T]) Vec2[T] { return Vec2[T]{max(v.X, w.X), max(v.Y, w.Y)} }

// Min is the minimum by component.
func (v Vec3[T]) Min(w Vec3[T]) Vec3[T] { return Vec3[T]{min(v.X, w.X), min(v.Y, w.Y), min(v.Z, w.Z)} }

// Max is the maximum by component.
func (v Vec3[T]) Max(w Vec3[T]) Vec3[T] { return Vec3[T]{max(v.X, w.X), max(v.Y, w.Y), max(v.Z, w.Z)} }

// Min is the minimum by component.
func (v Vec4[T]) Min(w Vec4[T]) Vec4[T] {
	return Vec4[T]{min(v.X, w.X), min(v.Y, w.Y), min(v.Z, w.Z), min(v.W, w.W)}
}

// Max is the maximum by component.
func (v Vec4[T]) Max(w Vec4[T]) Vec4[T] {
	return Vec4[T]{max(v.X, w.X), max(v.Y, w.Y), max(v.Z, w.Z), max(v.W, w.W)}
}

// Cross is the cross product of v and w, by the right-hand rule.
func (v Vec3[T]) Cross(w Vec3[T]) Vec3[T] {
	return Vec3[T]{v.Y*w.Z - v.Z*w.Y, v.Z*w.X - v.X*w.Z, v.X*w.Y - v.Y*w.X}
}

// With appends a component.
func (v Vec2[T]) With(z T) Vec3[T] { return Vec3[T]{v.X, v.Y, z} }

// With appends a component.
func (v Vec3[T]) With(w T) Vec4[T] { return Vec4[T]{v.X, v.Y, v.Z, w} }

// YX returns components Y and X.
func (v Vec2[T]) YX() Vec2[T] { return Vec2[T]{v.Y, v.X} }

// XY returns components X and Y.
func (v Vec3[T]) XY() Vec2[T] { return Vec2[T]{v.X, v.Y} }

// XZ returns components X and Z.
func (v Vec3[T]) XZ() Vec2[T] { return Vec2[T]{v.X, v.Z} }

// YZ returns components Y and Z.
func (v Vec3[T]) YZ() Vec2[T] { return Vec2[T]{v.Y, v.Z} }

// YZX returns components Y, Z and X.
func (v Vec3[T]) YZX() Vec3[T] { return Vec3[T]{v.Y, v.Z, v.X} }

// ZXY returns components Z, X and Y.
func (v Vec3[T]) ZXY() Vec3[T] { return Vec3[T]{v.Z, v.X, v.Y} }

// ZYX returns components Z, Y and X.
func (v Vec3[T]) ZYX() Vec3[T] { return Vec3[T]{v.Z, v.Y, v.X} }

// XY returns components X and Y.
func (v Vec4[T]) XY() Vec2[T] { return Vec2[T]{v.X, v.Y} }

// ZW returns components Z and W.
func (v Vec4[T]) ZW() Vec2[T] { return Vec2[T]{v.Z, v.W} }

// XYZ returns components X, Y and Z.
func (v Vec4[T]) XYZ() Vec3[T] { return Vec3[T]{v.X, v.Y, v.Z} }

// WZYX returns components W, Z, Y and X.
func (v Vec4[T]) WZYX() Vec4[T] { return Vec4[T]{v.W, v.Z, v.Y, v.X} }

// Vector is a float32 vector of any size: Vec2f, Vec3f or Vec4f.
type Vector[V any] interface {
	Add(V) V
	Sub(V) V
	Scale(float32) V
	Dot(V) float32
}

// Length returns the Euclidean length of a vector.
func Length[V Vector[V]](v V) float32 { return Sqrt(v.Dot(v)) }

// Distance returns the distance of two points.
func Distance[V Vector[V]](v, w V) float32 { return Length(v.Sub(w)) }

// Normalize returns a vector of length 1 in the same direction. The zero vector has none:
// components are NaN as plain Go, and any value on devices.
func Normalize[V Vector[V]](v V) V { return v.Scale(InverseSqrt(v.Dot(v))) }

// Mix interpolates linearly: it returns v for t = 0 and w for t = 1.
func Mix[V Vector[V]](v, w V, t float32) V { return v.Scale(1 - t).Add(w.Scale(t)) }

// Reflect returns v reflected by a plane with normal n, whose length is 1.
func Reflect[V Vector[V]](v, n V) V { return v.Sub(n.Scale(2 * n.Dot(v))) }

// Mat2f, Mat3f and Mat4f are matrices of float32. The fields are their columns.
type (
	Mat2f struct{ X, Y Vec2f }
	Mat3f struct{ X, Y, Z Vec3f }
	Mat4f struct{ X, Y, Z, W Vec4f }
)

// MulVec is the product with a column vector.
func (m Mat2f) MulVec(v Vec2f) Vec2f { return m.X.Scale(v.X).Add(m.Y.Scale(v.Y)) }

// MulVec is the product with a column vector.
func (m Mat3f) MulVec(v Vec3f) Vec3f {
	return m.X.Scale(v.X).Add(m.Y.Scale(v.Y)).Add(m.Z.Scale(v.Z))
}

// MulVec is the product with a column vector.
func (m Mat4f) MulVec(v Vec4f) Vec4f {
	return m.X.Scale(v.X).Add(m.Y.Scale(v.Y)).Add(m.Z.Scale(v.Z)).Add(m.W.Scale(v.W))
}

// Mul is the matrix product: m.Mul(n).MulVec(v) is m.MulVec(n.MulVec(v)).
func (m Mat2f) Mul(n Mat2f) Mat2f { return Mat2f{m.MulVec(n.X), m.MulVec(n.Y)} }

// Mul is the matrix product: m.Mul(n).MulVec(v) is m.MulVec(n.MulVec(v)).
func (m Mat3f) Mul(n Mat3f) Mat3f { return Mat3f{m.MulVec(n.X), m.MulVec(n.Y), m.MulVec(n.Z)} }

// Mul is the matrix product: m.Mul(n).MulVec(v) is m.MulVec(n.MulVec(v)).
func (m Mat4f) Mul(n Mat4f) Mat4f {
	return Mat4f{m.MulVec(n.X), m.MulVec(n.Y), m.MulVec(n.Z), m.MulVec(n.W)}
}

// Transpose exchanges rows and columns.
func (m Mat2f) Transpose() Mat2f { return Mat2f{Vec2f{m.X.X, m.Y.X}, Vec2f{m.X.Y, m.Y.Y}} }

// Transpose exchanges rows and columns.
func (m Mat3f) Transpose() Mat3f {
	return Mat3f{Vec3f{m.X.X, m.Y.X, m.Z.X}, Vec3f{m.X.Y, m.Y.Y, m.Z.Y}, Vec3f{m.X.Z, m.Y.Z, m.Z.Z}}
}

// Transpose exchanges rows and columns.
func (m Mat4f) Transpose() Mat4f {
	return Mat4f{
		Vec4f{m.X.X, m.Y.X, m.Z.X, m.W.X}, Vec4f{m.X.Y, m.Y.Y, m.Z.Y, m.W.Y},
		Vec4f{m.X.Z, m.Y.Z, m.Z.Z, m.W.Z}, Vec4f{m.X.W, m.Y.W, m.Z.W, m.W.W},
	}
}
