package gpu

// Vectors of Float16, by component. Devices read and write one of four components with one access
// of eight bytes. The compiler reads this file, like vector.go.

// Vec2h, Vec3h and Vec4h are vectors of Float16. A Vec3h has six bytes.
type (
	Vec2h struct{ X, Y Float16 }
	Vec3h struct{ X, Y, Z Float16 }
	Vec4h struct{ X, Y, Z, W Float16 }
)

// ToVec2h rounds each component to Float16.
func ToVec2h(v Vec2f) Vec2h { return Vec2h{ToFloat16(v.X), ToFloat16(v.Y)} }

// Float32 returns the vector of float32 with the same components.
func (v Vec2h) Float32() Vec2f { return Vec2f{v.X.Float32(), v.Y.Float32()} }

// Add adds by component.
func (v Vec2h) Add(w Vec2h) Vec2h { return Vec2h{v.X.Add(w.X), v.Y.Add(w.Y)} }

// Sub subtracts by component.
func (v Vec2h) Sub(w Vec2h) Vec2h { return Vec2h{v.X.Sub(w.X), v.Y.Sub(w.Y)} }

// Mul multiplies by component.
func (v Vec2h) Mul(w Vec2h) Vec2h { return Vec2h{v.X.Mul(w.X), v.Y.Mul(w.Y)} }

// Min is the minimum by component.
func (v Vec2h) Min(w Vec2h) Vec2h { return Vec2h{v.X.Min(w.X), v.Y.Min(w.Y)} }

// Max is the maximum by component.
func (v Vec2h) Max(w Vec2h) Vec2h { return Vec2h{v.X.Max(w.X), v.Y.Max(w.Y)} }

// FMA multiplies and adds by component, and rounds once.
func (v Vec2h) FMA(w, x Vec2h) Vec2h { return Vec2h{v.X.FMA(w.X, x.X), v.Y.FMA(w.Y, x.Y)} }

// Scale multiplies each component by s.
func (v Vec2h) Scale(s Float16) Vec2h { return Vec2h{v.X.Mul(s), v.Y.Mul(s)} }

// Dot is the dot product. It is computed in float32 and rounded once at the end, as matrix units
// do.
func (v Vec2h) Dot(w Vec2h) Float16 { return ToFloat16(v.Float32().Dot(w.Float32())) }

// ToVec3h rounds each component to Float16.
func ToVec3h(v Vec3f) Vec3h { return Vec3h{ToFloat16(v.X), ToFloat16(v.Y), ToFloat16(v.Z)} }

// Float32 returns the vector of float32 with the same components.
func (v Vec3h) Float32() Vec3f { return Vec3f{v.X.Float32(), v.Y.Float32(), v.Z.Float32()} }

// Add adds by component.
func (v Vec3h) Add(w Vec3h) Vec3h { return Vec3h{v.X.Add(w.X), v.Y.Add(w.Y), v.Z.Add(w.Z)} }

// Sub subtracts by component.
func (v Vec3h) Sub(w Vec3h) Vec3h { return Vec3h{v.X.Sub(w.X), v.Y.Sub(w.Y), v.Z.Sub(w.Z)} }

// Mul multiplies by component.
func (v Vec3h) Mul(w Vec3h) Vec3h { return Vec3h{v.X.Mul(w.X), v.Y.Mul(w.Y), v.Z.Mul(w.Z)} }

// Min is the minimum by component.
func (v Vec3h) Min(w Vec3h) Vec3h { return Vec3h{v.X.Min(w.X), v.Y.Min(w.Y), v.Z.Min(w.Z)} }

// Max is the maximum by component.
func (v Vec3h) Max(w Vec3h) Vec3h { return Vec3h{v.X.Max(w.X), v.Y.Max(w.Y), v.Z.Max(w.Z)} }

// FMA multiplies and adds by component, and rounds once.
func (v Vec3h) FMA(w, x Vec3h) Vec3h {
	return Vec3h{v.X.FMA(w.X, x.X), v.Y.FMA(w.Y, x.Y), v.Z.FMA(w.Z, x.Z)}
}

// Scale multiplies each component by s.
func (v Vec3h) Scale(s Float16) Vec3h { return Vec3h{v.X.Mul(s), v.Y.Mul(s), v.Z.Mul(s)} }

// Dot is the dot product. It is computed in float32 and rounded once at the end, as matrix units
// do.
func (v Vec3h) Dot(w Vec3h) Float16 { return ToFloat16(v.Float32().Dot(w.Float32())) }

// ToVec4h rounds each component to Float16.
func ToVec4h(v Vec4f) Vec4h {
	return Vec4h{ToFloat16(v.X), ToFloat16(v.Y), ToFloat16(v.Z), ToFloat16(v.W)}
}

// Float32 returns the vector of float32 with the same components.
func (v Vec4h) Float32() Vec4f {
	return Vec4f{v.X.Float32(), v.Y.Float32(), v.Z.Float32(), v.W.Float32()}
}

// Add adds by component.
func (v Vec4h) Add(w Vec4h) Vec4h {
	return Vec4h{v.X.Add(w.X), v.Y.Add(w.Y), v.Z.Add(w.Z), v.W.Add(w.W)}
}

// Sub subtracts by component.
func (v Vec4h) Sub(w Vec4h) Vec4h {
	return Vec4h{v.X.Sub(w.X), v.Y.Sub(w.Y), v.Z.Sub(w.Z), v.W.Sub(w.W)}
}

// Mul multiplies by component.
func (v Vec4h) Mul(w Vec4h) Vec4h {
	return Vec4h{v.X.Mul(w.X), v.Y.Mul(w.Y), v.Z.Mul(w.Z), v.W.Mul(w.W)}
}

// Min is the minimum by component.
func (v Vec4h) Min(w Vec4h) Vec4h {
	return Vec4h{v.X.Min(w.X), v.Y.Min(w.Y), v.Z.Min(w.Z), v.W.Min(w.W)}
}

// Max is the maximum by component.
func (v Vec4h) Max(w Vec4h) Vec4h {
	return Vec4h{v.X.Max(w.X), v.Y.Max(w.Y), v.Z.Max(w.Z), v.W.Max(w.W)}
}

// FMA multiplies and adds by component, and rounds once.
func (v Vec4h) FMA(w, x Vec4h) Vec4h {
	return Vec4h{v.X.FMA(w.X, x.X), v.Y.FMA(w.Y, x.Y), v.Z.FMA(w.Z, x.Z), v.W.FMA(w.W, x.W)}
}

// Scale multiplies each component by s.
func (v Vec4h) Scale(s Float16) Vec4h { return Vec4h{v.X.Mul(s), v.Y.Mul(s), v.Z.Mul(s), v.W.Mul(s)} }

// Dot is the dot product. It is computed in float32 and rounded once at the end, as matrix units
// do.
func (v Vec4h) Dot(w Vec4h) Float16 { return ToFloat16(v.Float32().Dot(w.Float32())) }
