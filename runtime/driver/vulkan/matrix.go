// Cooperative matrices: whether a device has what kernels of SPIR-V's profiles 1.6_coopmat and
// 1.6_coopmat_bf16 need.

package vulkan

import (
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
)

const (
	matricesExtension = "VK_KHR_cooperative_matrix"
	bfloat16Extension = "VK_KHR_shader_bfloat16"
)

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
	// of VK_KHR_shader_bfloat16
	componentBF16 = 1000141000

	scopeSubgroup = 3
)

// requiredProducts are those of the profile 1.6_coopmat (codegen/spirv), and brainProducts what the
// other one has beside them.
var requiredProducts = []matrixProduct{
	{16, 16, 16, componentF16, componentF16, componentF16, componentF16},
	{16, 16, 16, componentF16, componentF16, componentF32, componentF32},
	{16, 16, 32, componentI8, componentI8, componentI32, componentI32},
	{16, 16, 32, componentU8, componentU8, componentU32, componentU32},
}

var brainProducts = []matrixProduct{
	{16, 16, 16, componentBF16, componentBF16, componentF32, componentF32},
}

// matrixSubgroup is the size of the subgroups of such kernels, and matrixAlignment what the offsets
// of their bindings are multiples of: of the alignment of what is loaded
// (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
const (
	matrixSubgroup  = 32
	matrixAlignment = 16
)

// matrices adds the features abi.CooperativeMatrices and abi.BFloat16Matrices, if a device has all
// that their kernels need. The second is added only with the first, and needs integers of 16 bits,
// in which kernels have the patterns. The other features and the sizes of subgroups are known.
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
	if err != nil || !hasProducts(list, requiredProducts) {
		return err
	}
	c.info.Features = append(c.info.Features, abi.CooperativeMatrices)
	if e.brain.matrix != 0 && slices.Contains(c.info.Features, abi.Int16) && hasProducts(list, brainProducts) {
		c.info.Features = append(c.info.Features, abi.BFloat16Matrices)
	}
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

// componentName returns the name of a type of elements, or "" if it has none here.
func componentName(component uint32) string {
	switch {
	case component == componentBF16:
		return "bf16"
	case component < uint32(len(componentNames)):
		return componentNames[component]
	}
	return ""
}

// matrixTypes returns the types of elements that products take, each once, in the order of the
// list.
func matrixTypes(list []cooperativeMatrix) (names []string) {
	for _, m := range list {
		if name := componentName(m.a); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hasProducts reports whether products that are required are in a list.
func hasProducts(list []cooperativeMatrix, required []matrixProduct) bool {
	for _, p := range required {
		if !slices.ContainsFunc(list, func(m cooperativeMatrix) bool {
			return m.matrixProduct == p && m.scope == scopeSubgroup && m.saturating == 0
		}) {
			return false
		}
	}
	return true
}
