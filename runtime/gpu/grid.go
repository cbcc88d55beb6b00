// How much a launch runs: workgroups, or items. A program that counts items need not know the size
// of workgroups, which may differ between the variants of a kernel.

package gpu

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/abi"
)

// Grid is how much a launch runs, by dimension: workgroups, as D1 and D2 count them, or items, as
// Items1, Items2 and Items3 do. Y and Z are 1 where they are not used. Launches refuse 0 there,
// which is most likely a forgotten value.
type Grid struct {
	X, Y, Z uint32
	items   bool
}

// D1 is a grid of x workgroups.
func D1(x uint32) Grid { return Grid{X: x, Y: 1, Z: 1} }

// D2 is a grid of x by y workgroups.
func D2(x, y uint32) Grid { return Grid{X: x, Y: y, Z: 1} }

// Items1 is a grid of x items, in as many workgroups as they need. A kernel whose items cooperate,
// with barriers, workgroup memory or subgroup operations, runs whole workgroups: a launch over
// another number of items is ErrShape. Negative counts and more than 2³¹-1 items in a dimension are
// ErrLimit.
func Items1(x int) Grid { return Items3(x, 1, 1) }

// Items2 is a grid of x by y items: see Items1.
func Items2(x, y int) Grid { return Items3(x, y, 1) }

// Items3 is a grid of x by y by z items: see Items1.
func Items3(x, y, z int) Grid {
	return Grid{itemsOf(x), itemsOf(y), itemsOf(z), true}
}

// itemsOf returns a count of items, or one that launches refuse.
func itemsOf(n int) uint32 {
	if n < 0 || n > math.MaxInt32 {
		return math.MaxUint32
	}
	return uint32(n)
}

// String returns "4 x 2 x 1 workgroups", or items.
func (g Grid) String() string {
	what := "workgroups"
	if g.items {
		what = "items"
	}
	return fmt.Sprintf("%d x %d x %d %s", g.X, g.Y, g.Z, what)
}

// CountsItems reports whether the grid counts items, as Items1 does, and not workgroups.
func (g Grid) CountsItems() bool { return g.items }

// in returns how many workgroups of a size there are, by dimension, and whether the items fill
// them.
func (g Grid) in(size [3]uint32) (groups [3]uint32, whole bool) {
	groups, whole = [3]uint32{g.X, g.Y, g.Z}, true
	if !g.items {
		return groups, true
	}
	for n, items := range groups {
		each := max(size[n], 1)
		whole = whole && items%each == 0
		groups[n] = uint32((uint64(items) + uint64(each) - 1) / uint64(each))
	}
	return groups, whole
}

// extent returns how many items there are, by dimension, or zeros for all items of the workgroups.
func (g Grid) extent() (n [3]uint32) {
	if g.items {
		n = [3]uint32{g.X, g.Y, g.Z}
	}
	return n
}

// check refuses grids that no launch takes.
func (g Grid) check() error {
	if g.Y == 0 || g.Z == 0 {
		hint := fmt.Sprintf("gpu.D1(%d)", g.X)
		if g.items {
			hint = fmt.Sprintf("gpu.Items1(%d)", g.X)
		}
		return fmt.Errorf("%w: a grid of %v runs nothing; Y and Z are 1 where they are not used, as in %s", ErrShape, g, hint)
	}
	if g.items && max(g.X, g.Y, g.Z) > math.MaxInt32 {
		return fmt.Errorf("%w: a number of items is from 0 to %d in each dimension, as the int of devices is", ErrLimit, math.MaxInt32)
	}
	return nil
}

// workgroups returns how many workgroups a launch of a kernel has, or why there is no such launch.
func (k *Kernel) workgroups(g Grid) ([3]uint32, error) {
	if err := g.check(); err != nil {
		return [3]uint32{}, err
	}
	groups, whole := g.in(k.description.Workgroup)
	if !whole && k.description.Extent == nil {
		return groups, k.partialWorkgroup(g)
	}
	if k.description.IntPositions {
		for n, count := range groups {
			if items := uint64(count) * uint64(k.description.Workgroup[n]); items > math.MaxInt32 {
				return groups, tooManyItems(g, items)
			}
		}
	}
	return groups, nil
}

// tooManyItems is the error of a launch whose indices exceed int on devices, which the code relies
// on.
func tooManyItems(g Grid, items uint64) error {
	return fmt.Errorf("%w: the workgroups of a grid of %v have %d items in one dimension, and positions are ints, which devices have up to %d; "+
		"launch several times, or let each item do more", ErrLimit, g, items, math.MaxInt32)
}

// partialWorkgroup is the error of a launch over items that do not fill workgroups.
func (k *Kernel) partialWorkgroup(g Grid) error {
	s, why := k.description.Workgroup, "the items of the kernel work together"
	if k.device.info.Target == abi.WGSL {
		why = "a launch of WGSL has whole ones"
	}
	return fmt.Errorf("%w: a grid of %v is no whole number of workgroups of %d x %d x %d items, and %s; "+
		"launch more items, and let the kernel look which of them have something to do", ErrShape, g, s[0], s[1], s[2], why)
}
