// Package lower has the passes that lower operations, types and control flow to those of a target.
// A target lists the passes that it needs (codegen.Target.Lower). The properties that passes
// declare prove that the order is right.
//
//	access.go           accesses become byte addresses (LowerAccess)
//	aggregates.go       aggregates are copied part by part (DecomposeAggregates)
//	bitfield.go         bit fields by shifts
//	bulkcopies.go       large aggregates are copied by loops (BulkCopies)
//	copies.go           large values are copied instead of loaded and stored (Copies)
//	definearithmetic.go operands that machines leave undefined get guards (DefineArithmetic)
//	divbyconstant.go    division by constants is multiplication (DivByConstant)
//	dynamicindex.go     variables for values that are indexed dynamically (VarForDynamicIndex)
//	exact*.go           strict arithmetic (Exact, ExactChoices)
//	expandi64.go        64-bit integers by 32-bit operations (ExpandI64)
//	floatatomics.go     atomics of floats by those of integers (FloatAtomics)
//	fragments.go        fragments become arrays (Fragments)
//	fragmentlayout*.go  they do so in the layouts of a target's instructions
//	fragmentaccess.go   where in memory fragments are that stay (FragmentAccess)
//	fragmentwords.go    fragments in arrays of other numbers and of vectors
//	mergereturn.go      one return at a function's end
//	multilevelexits.go  an exit leaves one loop or switch (LowerMultiLevelExits)
//	operandreuse.go     order of instructions by register banks (ScheduleOperandReuse)
//	polyfill*.go        operations that a target lacks (Polyfill)
//	polynomials.go      functions by polynomials, the same bits everywhere (Polynomials)
//	promotef16.go       functions of f16 in f32 (PromoteF16)
//	scalarize.go        arithmetic on scalars only (Scalarize)
//	scopetoif.go        ifs instead of scopes, for text that people read (ScopeToIf)
//	scratch.go          large variables of invocations in a buffer of the runtime (Scratch)
//	std140.go           uniform buffers outside of std140 are read as words (StandardUniforms)
//	tables.go           large constant tables in a buffer of the runtime (Tables)
//	transcendental.go   functions by exp2, log2, roots and polynomials (Transcendental)
//	views.go            buffers without a type become arrays of words or halves (Views)
package lower
