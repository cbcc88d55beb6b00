// Package legalize holds lowering that targets share: passes from IR to IR that
// turn what a machine's language cannot say into what it can. A target lists
// those it needs; the order is proved by the properties the passes declare.
//
//	Trap           accesses outside of their variable are recorded, for every target before the portable passes (trap.go)
//	Robust         dynamic accesses stay within their variable (robust.go)
//	RobustTextures  texel reads stay within their texture (robusttextures.go)
//	ZeroWorkgroup  workgroup memory is zero when a kernel begins (zeroworkgroup.go)
//	Totalise       partial machine instructions are guarded: division, conversion, shifts (totalise.go)
//	Polyfill       operations that a target lacks, by simpler ones (polyfill.go)
//	WideHalf       transcendental functions of f16 in f32 (widehalf.go)
//	Wide           bits of 64-bit integers by 32-bit operations (wide.go)
//	SpillIndexed   values that are indexed dynamically lie in variables (spillindexed.go)
//	Scratch        large variables of invocations lie in a buffer of the runtime's (scratch.go)
//	Tables         large tables of constants lie in a buffer of the runtime's (tables.go)
//	BulkCopies     large aggregates in buffers are copied and zeroed by loops (bulkcopies.go)
//	StandardUniforms  uniform buffers outside of std140 are read as words (std140.go)
//	WrappingLoops  loops that may wrap show drivers no count (wrappingloops.go)
//	Negations      no negations, no complements in sums, for ptxas (negations.go)
//	Extremes       negated numbers are compared without a sign, no complements in sums (negations.go)
//	ConstantChains  drivers regroup no sums and products with constants (constantchains.go)
//	Absent         lanes without an invocation come to no loop (absent.go)
//	StructExits    an exit leaves one loop or switch at a time (structexits.go)
//	Scalarise      arithmetic on scalars only (scalarise.go)
//	Addresses      byte addresses instead of accesses (addresses.go)
package legalize
