// Package exectest lists the kernels that every device must run alike.
//
// Each case is a WGSL file under testdata/exec, the buffers and dispatches to run it with, and a
// reference in plain Go. The reference computes the same in another way wherever there is a natural
// one (crypto/sha256, slices.Sort, uint64 arithmetic, float64). So a mistake in the compiler and
// one in the reference do not coincide.
//
// Results are compared bit by bit wherever WGSL defines the bits. These are integers, floats whose
// intermediate values are exact in any order of evaluation, and strict arithmetic. Everything else
// states a bound. No case relies on the result of an access out of bounds, on the size of a
// subgroup, or on an order between workgroups.
//
// References of textures know nothing of package texture but the descriptions: they filter by
// weighing texels with their distance. Devices interpolate with eight bits of fraction in each
// direction, which the bounds of filtered samples allow, times the range of the texels. Where the
// nearest texel is taken, coordinates keep away from texel edges and results are exact.
package exectest

import (
	"slices"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

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

// Texture is one texture of a case.
type Texture struct {
	// Name is the name of a variable in the source, or another that Views use.
	Name        string
	Description texture.Description
	// Levels holds initial texels by level; what is missing is zero.
	Levels [][]byte
	// Steps bounds the error of channels that are stored as integers, in ULP. ULP and Absolute
	// bound that of floats, as a Buffer's.
	Steps    uint32
	ULP      uint32
	Absolute float64
}

// Sampler is one sampler of a case.
type Sampler struct {
	Name        string // of the variable
	Description texture.Sampler
}

// View binds levels of a texture to a variable, whatever its name.
type View struct {
	Variable, Texture string
	Level, Levels     uint32 // the first level and their number, 0 for all the rest
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
	// Views are the texture variables that do not show all levels of the texture of
	// their name.
	Views []View
}

// View returns what a texture variable shows in a dispatch, and the index of the
// texture in c.Textures, or -1.
func (c *Case) View(d *Dispatch, variable string) (index int, v View) {
	v = View{Variable: variable, Texture: variable}
	for _, other := range d.Views {
		if other.Variable == variable {
			v = other
		}
	}
	return slices.IndexFunc(c.Textures, func(t Texture) bool { return t.Name == v.Texture }), v
}

// Case is one kernel with its data and its expected results.
type Case struct {
	// Name is the name of the file: testdata/exec/Name.wgsl.
	Name string
	// Doc says in one line what the case shows.
	Doc string
	// Buffers are all resources that the file declares, in the order of group
	// and binding. An entry point that uses fewer binds those by name.
	Buffers []Buffer
	// Textures and Samplers are bound by name too.
	Textures   []Texture
	Samplers   []Sampler
	Dispatches []Dispatch
	// Immediates are the bytes that the dispatches bring along, one by one; none if
	// no entry point has any.
	Immediates [][]byte
	// Reference overwrites the initial contents with the expected ones: those of the buffers, and
	// behind them the levels of the textures one by one.
	Reference func(contents [][]byte)
	// NeedsF16 and NeedsSubgroups name the optional features used.
	NeedsF16       bool
	NeedsSubgroups bool
	// NeedsMultisampling says that a multisampled texture gets its texels from the
	// host, which most devices do not offer.
	NeedsMultisampling bool
	// Strict requires compilation without contraction or reassociation, which
	// makes float addition, subtraction and multiplication bit exact.
	Strict bool
	// Shapes says that it is one of MatrixCases: testdata/matrices/Name.wgsl.
	Shapes bool
	// LeavesVariables says that accesses leave their variables, with the results
	// that robust access gives on all devices. Checked and trapping runs report that.
	LeavesVariables bool
}

// ImmediatesOf returns the immediates of a dispatch.
func (c *Case) ImmediatesOf(dispatch int) []byte {
	if c.Immediates == nil {
		return nil
	}
	return c.Immediates[dispatch]
}

// File returns the name of the case's source, relative to the repository.
func (c *Case) File() string {
	if c.Shapes {
		return "testdata/matrices/" + c.Name + ".wgsl"
	}
	return "testdata/exec/" + c.Name + ".wgsl"
}

// Contents returns fresh copies of the initial contents of the buffers and, after
// them, of the levels of the textures.
func (c *Case) Contents() [][]byte {
	contents := make([][]byte, len(c.Buffers), len(c.Buffers)+8*len(c.Textures))
	for i, b := range c.Buffers {
		contents[i] = append([]byte(nil), b.Data...)
	}
	for i := range c.Textures {
		t := &c.Textures[i]
		for level := range t.Description.Levels {
			data := make([]byte, t.Description.LevelBytes(level))
			if int(level) < len(t.Levels) {
				copy(data, t.Levels[level])
			}
			contents = append(contents, data)
		}
	}
	return contents
}

// Level returns where the contents hold a level of texture i.
func (c *Case) Level(i int, level uint32) int {
	at := len(c.Buffers) + int(level)
	for k := range i {
		at += int(c.Textures[k].Description.Levels)
	}
	return at
}

// Expected returns the contents that the dispatches must leave.
func (c *Case) Expected() [][]byte {
	contents := c.Contents()
	c.Reference(contents)
	return contents
}
