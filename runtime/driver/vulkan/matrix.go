// Cooperative matrices: whether a device has what kernels of SPIR-V's profile 1.6_coopmat need.

package vulkan

import (
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
)

const matricesExtension = "VK_KHR_cooperative_matrix"

// matrixProduct is the part of VkCooperativeMatrixPropertiesKHR that says what is multiplied.
type matrixProduct struct {
	rows, columns, depth uint32
	a, b, c, result      uint32 // VkComponentTypeKHR
}

// The types of elements (VkComponentTypeKHR), and VK_SCOPE_SUBGROUP_KHR.
const (
	componentF16 = 0
	componentF32 = 1
	componentI8  = 3
	componentI32 = 5
	componentU8  = 7
	componentU32 = 9

	scopeSubgroup = 3
)

// requiredProducts are those of the profile (codegen/spirv).
var requiredProducts = [...]matrixProduct{
	{16, 16, 16, componentF16, componentF16, componentF16, componentF16},
	{16, 16, 16, componentF16, componentF16, componentF32, componentF32},
	{16, 16, 32, componentI8, componentI8, componentI32, componentI32},
	{16, 16, 32, componentU8, componentU8, componentU32, componentU32},
}

// matrixSubgroup is the size of the subgroups of such kernels, and matrixAlignment what the offsets
// of their bindings are multiples of: of the alignment of what is loaded
// (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
const (
	matrixSubgroup  = 32
	matrixAlignment = 16
)

// matrices adds the feature abi.CooperativeMatrices, if a device has all that its kernels need.
// The other features and the sizes of subgroups are known.
func (i *instance) matrices(physical uintptr, c *candidate) error {
	e, sizes := &c.enabled, c.info.SubgroupSizes
	if e.matrices.matrix == 0 || e.model.model == 0 || sizes[0] > matrixSubgroup || sizes[1] < matrixSubgroup {
		return nil
	}
	for _, f := range [...]abi.Feature{abi.Float16, abi.Int8, abi.Subgroups} {
		if !slices.Contains(c.info.Features, f) {
			return nil
		}
	}
	list, err := i.matrixProducts(physical)
	c.info.Hardware.Matrices = matrixTypes(list)
	if err != nil || !hasProducts(list) {
		return err
	}
	c.info.Features = append(c.info.Features, abi.CooperativeMatrices)
	c.info.OffsetAlignment = max(c.info.OffsetAlignment, matrixAlignment)
	return nil
}

// matrixProducts lists the products that a device has.
func (i *instance) matrixProducts(physical uintptr) ([]cooperativeMatrix, error) {
	var count uint32
	enumerate := func(array unsafe.Pointer) error {
		return check("list products of matrices", dl.Call(i.vk.Matrices, physical, uintptr(unsafe.Pointer(&count)), uintptr(array)))
	}
	if err := enumerate(nil); err != nil {
		return nil, err
	}
	list := make([]cooperativeMatrix, count+1)
	for n := range list {
		list[n].sType = typeCooperativeMatrixProperties
	}
	err := enumerate(unsafe.Pointer(&list[0]))
	return list[:count], err
}

// componentNames are of VkComponentTypeKHR, from 0 on.
var componentNames = [...]string{"f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}

// matrixTypes returns the types of elements that products take, each once, in the order of the
// list.
func matrixTypes(list []cooperativeMatrix) (names []string) {
	for _, m := range list {
		if m.a < uint32(len(componentNames)) && !slices.Contains(names, componentNames[m.a]) {
			names = append(names, componentNames[m.a])
		}
	}
	return names
}

// hasProducts reports whether the required products are in a list.
func hasProducts(list []cooperativeMatrix) bool {
	for _, p := range requiredProducts {
		if !slices.ContainsFunc(list, func(m cooperativeMatrix) bool {
			return m.matrixProduct == p && m.scope == scopeSubgroup && m.saturating == 0
		}) {
			return false
		}
	}
	return true
}
