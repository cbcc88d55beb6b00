package opt

import "github.com/gpuc/gpuc/ir/source"

// Survey takes what people want to know of a kernel's code beside the code (`gpuc build -report`). The passes that know it put it
// there, if Context.Survey asks for it. It holds places and names, and no words: these are for whoever shows it.
type Survey struct {
	// Guards says that the way to the target has a pass that keeps accesses in bounds; Checks is meaningless without it.
	Guards bool
	Checks []Check
}

// Check is an index for which code is there that keeps the access within its variable, since it is not proved that it stays there.
// For a texture it stands for all that says which texel is meant.
type Check struct {
	Access source.Span
	// Reads and Writes say what becomes of the pointer: reads have their index clamped, writes happen only if it is in range.
	Reads, Writes bool
	Texture       bool
	// Variable is what the index selects from, as the source names it: a variable, or a member of one. It is "" if that has no name.
	Variable string
	// Count is the number of its elements, or 0 where the size of a binding says it.
	Count uint64
	// Low and High are the least and the greatest index that is possible as far as is known; Bounded says that something is.
	Low, High int64
	Bounded   bool
	// Below is a variable of whose elements there are more than the index, Variable itself if the index may be negative, or "".
	Below string
	// Origins are what the index is computed of.
	Origins []Origin
}

// Origin is a value that an index is computed of, and of which nothing but its bounds is known.
type Origin struct {
	Kind OriginKind
	// Place is where it is in the source, Name what it is called: a builtin value, or the variable that it is read from.
	Place source.Span
	Name  string
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
	OfLoop                        // what a loop changes from turn to turn
	OfBranch                      // what branches choose
	OfLength                      // the length of an array
	OfFloat                       // converted from a float
	OfOther                       // the result of a call, an atomic operation, a texture
)
