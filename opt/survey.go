package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Survey holds facts about a kernel's code for people (`gpuc build -report`).
// The passes that know it put it there, if Context.Survey is not nil. It holds positions and names,
// but no text: that is for whoever shows it.
type Survey struct {
	// Guards says that the target's pipeline has a pass that keeps accesses in bounds, and Off that
	// it was told not to.
	Guards, Off bool
	Checks      []Check
	Calls       []Call
	Products    []TileProduct
	Tiles       []TileMemory
	// Tensor describes a variant with tensor maps; nil if the code is none.
	Tensor *TensorForm
}

// TensorForm is how a kernel with tensor maps shares its work: a warpgroup produces, which asks for
// operands, and others consume.
type TensorForm struct {
	Consumers int // warpgroups
	// ProducerRegisters and ConsumerRegisters are those of an invocation.
	ProducerRegisters, ConsumerRegisters int

	Rings []TensorRing
	// Swizzle is the span in bytes within which units of operands are permuted, or 0.
	Swizzle int
	Bytes   int // of workgroup memory
	// Resident is how many workgroups of a multiprocessor have as much memory.
	Resident int
}

// TensorRing is a ring of stages in workgroup memory, each of so many bytes.
type TensorRing struct{ Stages, Bytes int }

// TileMemory is the memory of a tile, or of a part of it, at an instruction.
type TileMemory struct {
	Span          source.Span
	Element       scalar.Kind
	Rows, Columns int
	// Bytes of workgroup memory are for so many rows or columns of it at a time. It is 0 if no
	// memory is for the tile.
	Bytes, Slice int
}

// TileProduct is a product of tiles, with rows and columns of the sum, and columns of the first
// operand.
type TileProduct struct {
	Span                 source.Span
	Element              scalar.Kind // of the first operand
	Rows, Columns, Depth int
	// Unit is the product that an instruction computes, or NoUnit says why there is none.
	Unit   ir.FragmentProduct
	NoUnit string
	// Stages is how many slices of operands are in workgroup memory at a time, which asynchronous
	// copies bring. If it is 0, Why says what the reason is.
	Stages int
	Why    string
}

// Call is a function that stays one although its calls keep variables of the invocation in memory.
type Call struct {
	Function string
	Span     source.Span
	// Instructions is what the code would come to with it inlined and loops unrolled, of which more
	// than Most are too many.
	Instructions, Most int
}

// Check is an index for which code is there that keeps the access within its variable, since it is
// not proved that it stays there. For a texture it means all that says which texel is meant.
type Check struct {
	Access source.Span
	// Reads and Writes say what becomes of the pointer: reads have their index clamped, writes
	// happen only if it is in range.
	Reads, Writes bool
	Texture       bool
	// Variable is what the index selects from, as the source names it: a variable, or a member of
	// one. It is "" if that has no name.
	Variable string
	// Count is the number of its elements, or 0 where the size of a binding says it.
	Count uint64
	// Low and High are the least and the greatest index that is possible as far as is known;
	// Bounded says that something is.
	Low, High int64
	Bounded   bool
	// Below are the variables that have more elements than the index, if it is not negative.
	// Variable itself is one of them where it may be negative.
	Below []string
	// Origins are what the index is computed of.
	Origins []Origin
	// Copies is how often the code has the access, which it has several times where it was inlined
	// or unrolled. What is known is what is known of all of them.
	Copies int
}

// Add adds a check, or makes it one with that of another copy of the access.
func (s *Survey) Add(c Check) {
	n := slices.IndexFunc(s.Checks, func(o Check) bool {
		return c.Access.Valid() && o.Access == c.Access && o.Variable == c.Variable && o.Count == c.Count && o.Texture == c.Texture
	})
	if n < 0 {
		c.Copies = 1
		s.Checks = append(s.Checks, c)
		return
	}
	o := &s.Checks[n]
	o.Copies++
	o.Reads, o.Writes = o.Reads || c.Reads, o.Writes || c.Writes
	o.Low, o.High, o.Bounded = min(o.Low, c.Low), max(o.High, c.High), o.Bounded && c.Bounded
	o.Below = slices.DeleteFunc(o.Below, func(name string) bool { return !slices.Contains(c.Below, name) })
	for _, origin := range c.Origins {
		if !slices.Contains(o.Origins, origin) {
			o.Origins = append(o.Origins, origin)
		}
	}
}

// Origin is a value that an index is computed of, and of which nothing but its bounds is known.
type Origin struct {
	Kind OriginKind
	// The position of the value in the source. Name is what holds it: a builtin value, or the
	// variable that it is read from. Hint is the source's name for it, if it has one.
	Span       source.Span
	Name, Hint string
	// Low and High are its bounds, where Bounded says that some are known.
	Low, High int64
	Bounded   bool
}

// OriginKind says where a value comes from.
type OriginKind uint8

// The kinds of origins.
const (
	OfBuiltin   OriginKind = iota // Name is a builtin value, or a component of one
	OfUniform                     // read from a uniform buffer
	OfStorage                     // read from a storage buffer
	OfImmediate                   // read from immediates
	OfWorkgroup                   // read from workgroup memory
	OfVariable                    // read from a variable of the invocation
	OfLoop                        // what a loop changes from iteration to iteration
	OfBranch                      // what branches choose
	OfLength                      // the length of an array
	OfFloat                       // converted from a float
	OfOther                       // the result of a call, an atomic operation, a texture
)
