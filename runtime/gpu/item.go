package gpu

// This file, subgroup.go, math.go, atomic.go and vector.go are what kernels written in Go use.
// Called as plain Go they do what the compiled kernel does, so that a kernel can be tested and
// debugged without a GPU.

// Int3 is a position or a size in three dimensions.
type Int3 struct{ X, Y, Z int }

// Item is one invocation of a kernel: the first parameter of every kernel written in Go.
//
//	//gpuc:kernel workgroup=64
//	func Scale(it gpu.Item, factor float32, x []float32) {
//		if i := it.Index(); i < len(x) {
//			x[i] *= factor
//		}
//	}
//
// Its coordinates are what WGSL calls builtin values (WGSL §13.3.1.1), as int.
type Item struct {
	group  *group
	local  Int3
	number int // among the items of its workgroup
}

// in returns the item's workgroup. Methods of items have no error to return, so that the zero
// value, which is no item of a launch, panics with what it is.
func (it Item) in() *group {
	if it.group == nil {
		panic(noItem)
	}
	return it.group
}

// noItem is said then. It is a variable, so that in is small enough to be inlined where an item is
// asked for its place.
var noItem any = "gpu: the Item is a zero value, which no launch has made; kernels get theirs from Each, EachGroup or the functions that gpuc gen writes"

// Index returns the item's position along X in the whole launch.
func (it Item) Index() int { return it.Global().X }

// Global returns the item's position in the whole launch.
func (it Item) Global() Int3 {
	g := it.in()
	at, size := g.at, g.launch.size
	return Int3{at.X*size.X + it.local.X, at.Y*size.Y + it.local.Y, at.Z*size.Z + it.local.Z}
}

// Local returns the item's position in its workgroup.
func (it Item) Local() Int3 { return it.local }

// LocalIndex returns the item's number in its workgroup: X grows fastest, then Y.
func (it Item) LocalIndex() int { return it.number }

// Group returns the position of the item's workgroup.
func (it Item) Group() Int3 { return it.in().at }

// Groups returns how many workgroups the launch has.
func (it Item) Groups() Int3 { return it.in().launch.grid }

// Size returns the size of a workgroup.
func (it Item) Size() Int3 { return it.in().launch.size }

// Barrier waits for all items of the workgroup. What they have written to workgroup memory and
// to buffers before is visible to all of them behind it. Either all items of a workgroup come to
// a barrier or none.
func (it Item) Barrier() { it.in().barrier(it.number) }

// UniformLoad reads workgroup memory between two barriers: what the items of the workgroup wrote
// before is there, and all of them get one value. So a branch on it is one that all of them take,
// in which there may be barriers.
func UniformLoad[T any](it Item, p *T) T {
	it.in().barrier(it.number)
	v := *p
	it.in().barrier(it.number)
	return v
}
