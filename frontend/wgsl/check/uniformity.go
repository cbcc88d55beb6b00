package check

// checkUniformity is where the analysis of WGSL §15.2 belongs: barriers,
// derivatives and subgroup operations must be reached in uniform control flow.
// Rows of the builtin table with the flag Uniform are its sinks. Until it is
// written, programs are taken to be uniform.
func (c *Checker) checkUniformity() {}
