package vulkan

import (
	"slices"
	"testing"
)

// TestProducts looks for the required products in lists.
func TestProducts(t *testing.T) {
	for _, required := range [][]matrixProduct{requiredProducts, brainProducts} {
		var list []cooperativeMatrix
		for _, p := range required {
			list = append(list, cooperativeMatrix{matrixProduct: p, scope: scopeSubgroup})
		}
		if !hasProducts(list, required) {
			t.Error("a device with all products lacks one")
		}
		for n := range list {
			for what, change := range map[string]func(m *cooperativeMatrix){
				"another depth":  func(m *cooperativeMatrix) { m.depth = 8 },
				"another factor": func(m *cooperativeMatrix) { m.a = componentF32 },
				"another sum":    func(m *cooperativeMatrix) { m.result = componentI8 },
				"a workgroup's":  func(m *cooperativeMatrix) { m.scope = 2 },
				"a saturating":   func(m *cooperativeMatrix) { m.saturating = 1 },
			} {
				was := list[n]
				if change(&list[n]); hasProducts(list, required) {
					t.Errorf("a device has all products, with %s one in place of number %d", what, n)
				}
				list[n] = was
			}
		}
	}
}

// TestMatrixTypes names types once, and leaves those out that have no name here.
func TestMatrixTypes(t *testing.T) {
	var list []cooperativeMatrix
	for _, a := range []uint32{componentI8, componentF16, componentI8, componentBF16, 99, componentU32} {
		list = append(list, cooperativeMatrix{matrixProduct: matrixProduct{a: a}})
	}
	if got, want := matrixTypes(list), []string{"i8", "f16", "bf16", "u32"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
