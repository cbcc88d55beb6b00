package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Variants are the variants of an embedded kernel that depends on tuned constants: one for each
// combination of their values. `gpuc gen` writes them. A launch runs the package's own values
// unless it names others.
//
// It must not be changed once it is in use. All methods may be called by several goroutines at
// once.
type Variants struct {
	// Package is the import path of the kernel's package. Kernel is the name of the kernel with
	// the package's own values, and Constants are the tuned constants in the order of values.
	Package, Kernel string
	Constants       []string
	// Code is a digest of the code of all variants. Records are those of tuning that the package
	// embeds (tuning.File).
	Code, Records string
	// SizesDiffer says that the workgroup size depends on the variant, so that a number of
	// workgroups is a different number of items in each.
	SizesDiffer bool
	// List has the variants, the one with the package's own values first.
	List []Variant

	records records
}

// Variant is a kernel with the values of its tuned constants.
type Variant struct {
	Values   []int
	Embedded *gpu.Embedded
}

// Find returns the kernel with these values, one for each of Constants, where 0 means the package's
// own. It is gpu.ErrShape if there is none, or if the grid counts workgroups although SizesDiffer.
func (v *Variants) Find(grid gpu.Grid, values ...int) (*gpu.Embedded, error) {
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

// listed refuses an empty list.
func (v *Variants) listed() error {
	if v == nil || len(v.List) == 0 {
		return fmt.Errorf("variants of a kernel: %w: there are none in the list; gpuc gen writes one for each combination of tuned constants", gpu.ErrShape)
	}
	return nil
}

// fits refuses a grid that is a different number of items in each variant.
func (v *Variants) fits(grid gpu.Grid) error {
	if v.SizesDiffer && !grid.CountsItems() {
		return fmt.Errorf("%w: a number of workgroups is another number of items in each of its variants; "+
			"count items, as gpu.Items1, gpu.Items2 and gpu.Items3 do", gpu.ErrShape)
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
	return fmt.Errorf("launch kernel %s: %w: there is no variant with %s; it is compiled for %s", v.Kernel, gpu.ErrShape, v.named(values), strings.Join(known, ", "))
}

// named returns the constants with their values: "Tile=8 Unroll=2".
func (v *Variants) named(values []int) string {
	return gpu.Tuning{Constants: v.Constants}.Named(values)
}

// OneVariant returns the last argument of a launcher: a variant, or the zero value for none, which
// has the package's own values. Several are gpu.ErrShape.
func OneVariant[V any](kernel string, given []V) (one V, err error) {
	switch len(given) {
	case 0:
		return one, nil
	case 1:
		return given[0], nil
	}
	return one, fmt.Errorf("launch kernel %s: %w: a launch runs one variant, and it is given %d", kernel, gpu.ErrShape, len(given))
}
