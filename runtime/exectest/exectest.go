// Package exectest lists the kernels that every device must run alike.
//
// Each case is a WGSL file under testdata/exec, the buffers and dispatches to
// run it with, and a reference in plain Go. The reference is written from what
// the kernel should compute, with another formulation wherever a natural one
// exists (crypto/sha256, slices.Sort, uint64 arithmetic, float64), so that a
// mistake in the compiler and one in the reference do not coincide.
//
// Results are compared bit by bit wherever WGSL defines the bits: integers,
// and floating point where every intermediate value is exact whatever the order
// of evaluation, or where the case asks for strict arithmetic. Everything else
// states a bound. No case relies on the result of an access out of bounds, on
// the size of a subgroup, or on an order between workgroups.
package exectest

import "github.com/gpuc/gpuc/ir/scalar"

// Buffer is one resource of a case.
type Buffer struct {
	// Name is the variable's name in the source.
	Name string
	// Data is the initial content. Its length is a multiple of 4.
	Data []byte
	// Element is the scalar in which Compare counts and shows the content. A
	// buffer of mixed scalars says U32: it is compared bit by bit.
	Element scalar.Kind
	// ULP and Absolute bound the error of an f32 or f16 result: the distance
	// counted in representable values, or the difference. A result within
	// either passes; when both are 0 the bits must be equal.
	ULP      uint32
	Absolute float64
}

// Override sets a pipeline-overridable constant. A bool takes 0 or 1.
type Override struct {
	// Name is the constant's identifier string (WGSL, override
	// declarations): the number in decimal where it has an id attribute,
	// otherwise its name.
	Name  string
	Value float64
}

// Dispatch runs one entry point on a grid of workgroups. Dispatches run one
// after another; the writes of one are visible to the next.
type Dispatch struct {
	Entry     string
	Grid      [3]uint32
	Overrides []Override
}

// Case is one kernel with its data and its expected results.
type Case struct {
	// Name is the name of the file: testdata/exec/Name.wgsl.
	Name string
	// Doc says in one line what the case shows.
	Doc string
	// Buffers are all resources that the file declares, in the order of group
	// and binding. An entry point that uses fewer binds those by name.
	Buffers    []Buffer
	Dispatches []Dispatch
	// Reference turns the initial contents of Buffers into the expected ones,
	// in place.
	Reference func(buffers [][]byte)
	// NeedsF16 and NeedsSubgroups name the optional features used.
	NeedsF16       bool
	NeedsSubgroups bool
	// Strict asks for compilation without contraction or reassociation, which
	// makes float addition, subtraction and multiplication bit exact.
	Strict bool
}

// File returns the name of the case's source, relative to the repository.
func (c *Case) File() string { return "testdata/exec/" + c.Name + ".wgsl" }

// Contents returns fresh copies of the buffers' initial contents.
func (c *Case) Contents() [][]byte {
	contents := make([][]byte, len(c.Buffers))
	for i, b := range c.Buffers {
		contents[i] = append([]byte(nil), b.Data...)
	}
	return contents
}

// Expected returns the contents that the buffers must have after the dispatches.
func (c *Case) Expected() [][]byte {
	contents := c.Contents()
	c.Reference(contents)
	return contents
}
