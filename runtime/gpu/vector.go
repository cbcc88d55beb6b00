package gpu

// Vectors of two to four numbers and square matrices of f32. They lie in memory as Go has them, one
// number behind the other, so that a Vec3f has 12 bytes, on hosts and on devices. Kernels compute
// with them by number: what is written here is what devices run. Of this package the compiler takes
// this file alone (isForKernels in frontend/gokernel); the rest stays with the host or is built
// into it.

// Vec2, Vec3 and Vec4 are vectors.
type (
	Vec2[T Number] struct{ X, Y T }
	Vec3[T Number] struct{ X, Y, Z T }
	Vec4[T Number] struct{ X, Y, Z, W T }
)

// The vectors that buffers hold.
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

// V2, V3 and V4 make vectors.
func V2[T Number](x, y T) Vec2[T]       { return Vec2[T]{x, y} }
func V3[T Number](x, y, z T) Vec3[T]    { return Vec3[T]{x, y, z} }
func V4[T Number](x, y, z, w T) Vec4[T] { return Vec4[T]{x, y, z, w} }

// V2f, V3f and V4f make vectors of f32, of constants, too.
func V2f(x, y float32) Vec2f       { return Vec2f{x, y} }
func V3f(x, y, z float32) Vec3f    { return Vec3f{x, y, z} }
func V4f(x, y, z, w float32) Vec4f { return Vec4f{x, y, z, w} }

// Add, Sub, Mul and Div work by components, and Scale multiplies each.

func (v Vec2[T]) Add(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X + w.X, v.Y + w.Y} }
func (v Vec2[T]) Sub(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X - w.X, v.Y - w.Y} }
func (v Vec2[T]) Mul(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X * w.X, v.Y * w.Y} }
func (v Vec2[T]) Div(w Vec2[T]) Vec2[T] { return Vec2[T]{v.X / w.X, v.Y / w.Y} }
func (v Vec2[T]) Scale(s T) Vec2[T]     { return Vec2[T]{v.X * s, v.Y * s} }

func (v Vec3[T]) Add(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }
func (v Vec3[T]) Sub(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X - w.X, v.Y - w.Y, v.Z - w.Z} }
func (v Vec3[T]) Mul(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X * w.X, v.Y * w.Y, v.Z * w.Z} }
func (v Vec3[T]) Div(w Vec3[T]) Vec3[T] { return Vec3[T]{v.X / w.X, v.Y / w.Y, v.Z / w.Z} }
func (v Vec3[T]) Scale(s T) Vec3[T]     { return Vec3[T]{v.X * s, v.Y * s, v.Z * s} }

func (v Vec4[T]) Add(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X + w.X, v.Y + w.Y, v.Z + w.Z, v.W + w.W} }
func (v Vec4[T]) Sub(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X - w.X, v.Y - w.Y, v.Z - w.Z, v.W - w.W} }
func (v Vec4[T]) Mul(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X * w.X, v.Y * w.Y, v.Z * w.Z, v.W * w.W} }
func (v Vec4[T]) Div(w Vec4[T]) Vec4[T] { return Vec4[T]{v.X / w.X, v.Y / w.Y, v.Z / w.Z, v.W / w.W} }
func (v Vec4[T]) Scale(s T) Vec4[T]     { return Vec4[T]{v.X * s, v.Y * s, v.Z * s, v.W * s} }

// Dot is the sum of the products of the components.

func (v Vec2[T]) Dot(w Vec2[T]) T { return v.X*w.X + v.Y*w.Y }
func (v Vec3[T]) Dot(w Vec3[T]) T { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }
func (v Vec4[T]) Dot(w Vec4[T]) T { return v.X*w.X + v.Y*w.Y + v.Z*w.Z + v.W*w.W }

// Min and Max take the lesser and the greater of each two components.

func (v Vec2[T]) Min(w Vec2[T]) Vec2[T] { return Vec2[T]{min(v.X, w.X), min(v.Y, w.Y)} }
func (v Vec2[T]) Max(w Vec2[T]) Vec2[T] { return Vec2[T]{max(v.X, w.X), max(v.Y, w.Y)} }
func (v Vec3[T]) Min(w Vec3[T]) Vec3[T] { return Vec3[T]{min(v.X, w.X), min(v.Y, w.Y), min(v.Z, w.Z)} }
func (v Vec3[T]) Max(w Vec3[T]) Vec3[T] { return Vec3[T]{max(v.X, w.X), max(v.Y, w.Y), max(v.Z, w.Z)} }
func (v Vec4[T]) Min(w Vec4[T]) Vec4[T] {
	return Vec4[T]{min(v.X, w.X), min(v.Y, w.Y), min(v.Z, w.Z), min(v.W, w.W)}
}
func (v Vec4[T]) Max(w Vec4[T]) Vec4[T] {
	return Vec4[T]{max(v.X, w.X), max(v.Y, w.Y), max(v.Z, w.Z), max(v.W, w.W)}
}

// Cross is orthogonal to v and w, in the sense of a right hand.
func (v Vec3[T]) Cross(w Vec3[T]) Vec3[T] {
	return Vec3[T]{v.Y*w.Z - v.Z*w.Y, v.Z*w.X - v.X*w.Z, v.X*w.Y - v.Y*w.X}
}

// With puts one more component behind the others.

func (v Vec2[T]) With(z T) Vec3[T] { return Vec3[T]{v.X, v.Y, z} }
func (v Vec3[T]) With(w T) Vec4[T] { return Vec4[T]{v.X, v.Y, v.Z, w} }

// Components in another order, or some of them.

func (v Vec2[T]) YX() Vec2[T]   { return Vec2[T]{v.Y, v.X} }
func (v Vec3[T]) XY() Vec2[T]   { return Vec2[T]{v.X, v.Y} }
func (v Vec3[T]) XZ() Vec2[T]   { return Vec2[T]{v.X, v.Z} }
func (v Vec3[T]) YZ() Vec2[T]   { return Vec2[T]{v.Y, v.Z} }
func (v Vec3[T]) YZX() Vec3[T]  { return Vec3[T]{v.Y, v.Z, v.X} }
func (v Vec3[T]) ZXY() Vec3[T]  { return Vec3[T]{v.Z, v.X, v.Y} }
func (v Vec3[T]) ZYX() Vec3[T]  { return Vec3[T]{v.Z, v.Y, v.X} }
func (v Vec4[T]) XY() Vec2[T]   { return Vec2[T]{v.X, v.Y} }
func (v Vec4[T]) ZW() Vec2[T]   { return Vec2[T]{v.Z, v.W} }
func (v Vec4[T]) XYZ() Vec3[T]  { return Vec3[T]{v.X, v.Y, v.Z} }
func (v Vec4[T]) WZYX() Vec4[T] { return Vec4[T]{v.W, v.Z, v.Y, v.X} }

// Vector is a vector of f32 of any size.
type Vector[V any] interface {
	Add(V) V
	Sub(V) V
	Scale(float32) V
	Dot(V) float32
}

// Length returns the length of a vector.
func Length[V Vector[V]](v V) float32 { return Sqrt(v.Dot(v)) }

// Distance returns how far two points are from each other.
func Distance[V Vector[V]](v, w V) float32 { return Length(v.Sub(w)) }

// Normalize returns a vector of length 1 in the same direction.
func Normalize[V Vector[V]](v V) V { return v.Scale(InverseSqrt(v.Dot(v))) }

// Mix returns v for t = 0, w for t = 1, and what is between on the line through both.
func Mix[V Vector[V]](v, w V, t float32) V { return v.Scale(1 - t).Add(w.Scale(t)) }

// Reflect returns v reflected by a plane that is orthogonal to n, whose length is 1.
func Reflect[V Vector[V]](v, n V) V { return v.Sub(n.Scale(2 * n.Dot(v))) }

// Mat2f, Mat3f and Mat4f are matrices. The fields are their columns.
type (
	Mat2f struct{ X, Y Vec2f }
	Mat3f struct{ X, Y, Z Vec3f }
	Mat4f struct{ X, Y, Z, W Vec4f }
)

// MulVec is the product with a column vector.

func (m Mat2f) MulVec(v Vec2f) Vec2f { return m.X.Scale(v.X).Add(m.Y.Scale(v.Y)) }
func (m Mat3f) MulVec(v Vec3f) Vec3f {
	return m.X.Scale(v.X).Add(m.Y.Scale(v.Y)).Add(m.Z.Scale(v.Z))
}
func (m Mat4f) MulVec(v Vec4f) Vec4f {
	return m.X.Scale(v.X).Add(m.Y.Scale(v.Y)).Add(m.Z.Scale(v.Z)).Add(m.W.Scale(v.W))
}

// Mul is the product of matrices: (m.Mul(n)).MulVec(v) is m.MulVec(n.MulVec(v)).

func (m Mat2f) Mul(n Mat2f) Mat2f { return Mat2f{m.MulVec(n.X), m.MulVec(n.Y)} }
func (m Mat3f) Mul(n Mat3f) Mat3f { return Mat3f{m.MulVec(n.X), m.MulVec(n.Y), m.MulVec(n.Z)} }
func (m Mat4f) Mul(n Mat4f) Mat4f {
	return Mat4f{m.MulVec(n.X), m.MulVec(n.Y), m.MulVec(n.Z), m.MulVec(n.W)}
}

// Transpose exchanges rows and columns.

func (m Mat2f) Transpose() Mat2f { return Mat2f{Vec2f{m.X.X, m.Y.X}, Vec2f{m.X.Y, m.Y.Y}} }
func (m Mat3f) Transpose() Mat3f {
	return Mat3f{Vec3f{m.X.X, m.Y.X, m.Z.X}, Vec3f{m.X.Y, m.Y.Y, m.Z.Y}, Vec3f{m.X.Z, m.Y.Z, m.Z.Z}}
}
func (m Mat4f) Transpose() Mat4f {
	return Mat4f{
		Vec4f{m.X.X, m.Y.X, m.Z.X, m.W.X}, Vec4f{m.X.Y, m.Y.Y, m.Z.Y, m.W.Y},
		Vec4f{m.X.Z, m.Y.Z, m.Z.Z, m.W.Z}, Vec4f{m.X.W, m.Y.W, m.Z.W, m.W.W},
	}
}
