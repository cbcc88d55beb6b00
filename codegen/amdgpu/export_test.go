package amdgpu

// What tests of other packages see of the table.
var (
	FormsOf     = formsOf
	Conversions = &conversions
)
