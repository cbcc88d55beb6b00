// Variants of kernels: one for each combination of values of the constants that a kernel is tuned
// by. A launch runs the package's own values unless it names others.

package gpu

import (
	"fmt"
	"slices"
	"strings"
)

// Variants are the variants of an embedded kernel, as `gpuc gen` writes them for a kernel that
// depends on tuned constants. The functions that it generates use them, and name variants by
// structures with a field for each constant.
//
// It must not be changed once it is in use. All methods may be called by several goroutines at
// once.
type Variants struct {
	// Kernel is the function's name, and Constants are the tuned constants in the order of values.
	Kernel    string
	Constants []string
	// SizesDiffer says that workgroups do not have the same size in all variants, so that a number
	// of workgroups is another number of items in each.
	SizesDiffer bool
	// List has the variants, the one with the package's own values first.
	List []Variant
}

// Variant is a kernel with the values of its tuned constants.
type Variant struct {
	Values   []int
	Embedded *Embedded
}

// Find returns the kernel with these values, one for each of Constants, where 0 stands for the
// package's own. It is ErrShape if there is none, or if the grid counts workgroups where their size
// differs between variants.
func (v *Variants) Find(grid Grid, values ...int) (*Embedded, error) {
	if err := v.listed(); err != nil {
		return nil, err
	}
	if err := v.fits(grid); err != nil {
		return nil, fmt.Errorf("launch kernel %s: %w", v.Kernel, err)
	}
	if found := v.find(values); found != nil {
		return found.Embedded, nil
	}
	return nil, v.unknown(slices.Clone(values)) // a copy, so that values need not be on the heap
}

// listed refuses what has no variants.
func (v *Variants) listed() error {
	if v == nil || len(v.List) == 0 {
		return fmt.Errorf("variants of a kernel: %w: there are none in the list; gpuc gen writes one for each combination of tuned constants", ErrShape)
	}
	return nil
}

// fits refuses a grid that is another number of items in each variant.
func (v *Variants) fits(grid Grid) error {
	if v.SizesDiffer && !grid.items {
		return fmt.Errorf("%w: a number of workgroups is another number of items in each of its variants; "+
			"count items, as gpu.Items1, gpu.Items2 and gpu.Items3 do", ErrShape)
	}
	return nil
}

// find returns the variant with these values, or nil.
func (v *Variants) find(values []int) *Variant {
	for n := range v.List {
		if v.List[n].is(values, v.List[0].Values) {
			return &v.List[n]
		}
	}
	return nil
}

func (v *Variant) is(values, own []int) bool {
	if len(values) != len(v.Values) {
		return false
	}
	for n, value := range values {
		if value == 0 {
			value = own[n]
		}
		if value != v.Values[n] {
			return false
		}
	}
	return true
}

func (v *Variants) unknown(values []int) error {
	var known []string
	for n := range v.List {
		known = append(known, v.named(v.List[n].Values))
	}
	return fmt.Errorf("launch kernel %s: %w: there is no variant with %s; it is compiled for %s", v.Kernel, ErrShape, v.named(values), strings.Join(known, ", "))
}

// named is a variant in words: "Tile=8 Unroll=2".
func (v *Variants) named(values []int) string { return named(v.Constants, values) }

func named(constants []string, values []int) string {
	list := make([]string, len(values))
	for n, value := range values {
		name := "?"
		if n < len(constants) {
			name = constants[n]
		}
		list[n] = fmt.Sprintf("%s=%d", name, value)
	}
	return strings.Join(list, " ")
}

// OneVariant returns what a launcher is given as its last argument: one variant or none, which is
// the package's own, the zero value. More are ErrShape.
func OneVariant[V any](kernel string, given []V) (one V, err error) {
	switch len(given) {
	case 0:
		return one, nil
	case 1:
		return given[0], nil
	}
	return one, fmt.Errorf("launch kernel %s: %w: a launch runs one variant, and it is given %d", kernel, ErrShape, len(given))
}
