package gpu

// This file, subgroup.go, math.go, atomic.go and vector.go are what kernels written in Go use. Called as plain Go
// they do what the compiled kernel does, so that a kernel can be tested and debugged without a GPU.

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

// Index returns the item's position along X in the whole launch.
func (it Item) Index() int { return it.Global().X }

// Global returns the item's position in the whole launch.
func (it Item) Global() Int3 {
	at, size := it.group.at, it.group.launch.size
	return Int3{at.X*size.X + it.local.X, at.Y*size.Y + it.local.Y, at.Z*size.Z + it.local.Z}
}

// Local returns the item's position in its workgroup.
func (it Item) Local() Int3 { return it.local }

// LocalIndex returns the item's number in its workgroup: X grows fastest, then Y.
func (it Item) LocalIndex() int { return it.number }

// Group returns the position of the item's workgroup.
func (it Item) Group() Int3 { return it.group.at }

// Groups returns how many workgroups the launch has.
func (it Item) Groups() Int3 { return it.group.launch.grid }

// Size returns the size of a workgroup.
func (it Item) Size() Int3 { return it.group.launch.size }

// Barrier waits for all items of the workgroup. What they have written to workgroup memory and
// to buffers before is visible to all of them behind it. Either all items of a workgroup come to
// a barrier or none.
func (it Item) Barrier() { it.group.barrier(it.number) }

// UniformLoad reads workgroup memory between two barriers: what the items of the workgroup wrote before is
// there, and all of them get one value. So a branch on it is one that all of them take, in
// which there may be barriers.
func UniformLoad[T any](it Item, p *T) T {
	it.group.barrier(it.number)
	v := *p
	it.group.barrier(it.number)
	return v
}
