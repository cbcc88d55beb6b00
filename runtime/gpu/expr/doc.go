// Package expr computes with tensors whose operations are joined into kernels. Operations only note
// what is to be computed. Reading a tensor makes kernels of what it depends on, compiles those that
// are new, and launches them:
//
//	c, err := expr.New(device)
//	x := expr.From(c, numbers, rows, inner)
//	y := x.MatMul(w).Add(b).GELU()          // nothing has run
//	result, err := expr.Read[float32](ctx, y) // one launch
//
// Chains of element-wise operations, with what they broadcast, are one kernel. A reduction's kernel
// has the operations before it and behind it, and so does that of a matrix product, behind it.
// Context.Explain prints the kernels, and says why something was not joined.
//
// # Errors
//
// Methods of tensors return no errors. A call with shapes or types that do not fit returns a tensor
// with an error, which names the call's line, and so does everything made of it. Err returns it,
// and so do Read, Buffer and Context.Run.
//
// # Kernels and plans
//
// A kernel depends on the operations, types and number of dimensions, on what is broadcast, and on
// whether sizes are multiples of four. Sizes are arguments, so a new batch size compiles nothing. A
// graph whose operations and shapes were evaluated before has its plan already.
//
// # Goroutines
//
// All values may be used by several goroutines at once. Evaluations in one context wait for each
// other, and their work is in the order of its stream.
//
// This package compiles, so it links the compiler (runtime/jit).
package expr
