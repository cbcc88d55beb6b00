package gpu

import "testing"

// TestVectors: every operation against numbers worked out by hand.
func TestVectors(t *testing.T) {
	a2, b2 := V2f(3, 4), V2f(-1, 2)
	a3, b3 := V3f(1, 2, 3), V3f(4, -5, 6)
	a4, b4 := V4f(1, 2, 3, 4), V4f(2, 4, -6, 8)
	m2 := Mat2f{V2f(1, 2), V2f(3, 4)}
	m3 := Mat3f{V3f(1, 2, 3), V3f(0, 1, 4), V3f(5, 6, 0)}
	m4 := Mat4f{V4f(1, 0, 0, 0), V4f(0, 2, 0, 0), V4f(0, 0, 3, 0), V4f(7, 8, 9, 1)}
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"Add", []any{a2.Add(b2), a3.Add(b3), a4.Add(b4)}, []any{V2f(2, 6), V3f(5, -3, 9), V4f(3, 6, -3, 12)}},
		{"Sub", []any{a2.Sub(b2), a3.Sub(b3), a4.Sub(b4)}, []any{V2f(4, 2), V3f(-3, 7, -3), V4f(-1, -2, 9, -4)}},
		{"Mul", []any{a2.Mul(b2), a3.Mul(b3), a4.Mul(b4)}, []any{V2f(-3, 8), V3f(4, -10, 18), V4f(2, 8, -18, 32)}},
		{"Div", []any{b2.Div(a2.Sub(b2)), V3f(8, 9, 10).Div(a3.Sub(V3f(0, -1, -2))), b4.Div(a4)},
			[]any{V2f(-0.25, 1), V3f(8, 3, 2), V4f(2, 2, -2, 2)}},
		{"Scale", []any{a2.Scale(2), a3.Scale(-1), V4[uint32](1, 2, 3, 1<<31).Scale(2)}, []any{V2f(6, 8), V3f(-1, -2, -3), V4[uint32](2, 4, 6, 0)}},
		{"Dot", []any{a2.Dot(b2), a3.Dot(b3), a4.Dot(b4)}, []any{float32(5), float32(12), float32(24)}},
		{"Min", []any{a2.Min(b2), a3.Min(b3), a4.Min(b4)}, []any{V2f(-1, 2), V3f(1, -5, 3), V4f(1, 2, -6, 4)}},
		{"Max", []any{a2.Max(b2), a3.Max(b3), a4.Max(b4)}, []any{V2f(3, 4), V3f(4, 2, 6), V4f(2, 4, 3, 8)}},
		{"Cross", []any{a3.Cross(b3)}, []any{V3f(27, 6, -13)}},
		{"order", []any{a2.YX(), a3.XY(), a3.XZ(), a3.YZ(), a3.YZX(), a3.ZXY(), a3.ZYX(), a4.XY(), a4.ZW(), a4.XYZ(), a4.WZYX()},
			[]any{V2f(4, 3), V2f(1, 2), V2f(1, 3), V2f(2, 3), V3f(2, 3, 1), V3f(3, 1, 2), V3f(3, 2, 1), V2f(1, 2), V2f(3, 4), V3f(1, 2, 3), V4f(4, 3, 2, 1)}},
		{"Length", []any{Length(a2), Distance(V3f(1, 1, 1), V3f(3, 4, 7))}, []any{float32(5), float32(7)}},
		{"Normalize", []any{Normalize(V2f(0, 4)), Normalize(V3f(-2, 0, 0))}, []any{V2f(0, 1), V3f(-1, 0, 0)}},
		{"Mix", []any{Mix(a4, b4, 0), Mix(a4, b4, 1), Mix(a2, b2, 0.5)}, []any{a4, b4, V2f(1, 3)}},
		{"Reflect", []any{Reflect(a2, V2f(0, 1))}, []any{V2f(3, -4)}},
		{"MulVec", []any{m2.MulVec(V2f(1, 10)), m3.MulVec(V3f(1, 10, 100)), m4.MulVec(V4f(1, 1, 1, 1))},
			[]any{V2f(31, 42), V3f(501, 612, 43), V4f(8, 10, 12, 1)}},
		{"Mat.Mul", []any{m2.Mul(m2), m3.Mul(Mat3f{V3f(0, 1, 0), V3f(0, 0, 1), V3f(1, 0, 0)}), m4.Mul(m4).W},
			[]any{Mat2f{V2f(7, 10), V2f(15, 22)}, Mat3f{V3f(0, 1, 4), V3f(5, 6, 0), V3f(1, 2, 3)}, V4f(14, 24, 36, 1)}},
		{"Transpose", []any{m2.Transpose(), m3.Transpose(), m4.Transpose().X},
			[]any{Mat2f{V2f(1, 3), V2f(2, 4)}, Mat3f{V3f(1, 0, 5), V3f(2, 1, 6), V3f(3, 4, 0)}, V4f(1, 0, 0, 7)}},
	} {
		got, want := test.got.([]any), test.want.([]any)
		for n := range got {
			if got[n] != want[n] {
				t.Errorf("%s %d: %v, want %v", test.name, n, got[n], want[n])
			}
		}
	}
}
