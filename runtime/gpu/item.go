package gpu

// This file, subgroup.go, math.go, pack.go, atomic.go and vector.go are for kernels written in Go.
// As plain Go they compute what the compiled kernel computes, so that a kernel can be tested and
// debugged without a GPU.

// Int3 is an index or a size in three dimensions.
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
// Its coordinates are WGSL's builtin values (WGSL §13.3.1.1), as int. An Item that no launch made,
// the zero value, panics.
type Item struct {
	group  *group
	local  Int3
	number int // LocalIndex
}

// in returns the item's workgroup. It panics for the zero value: methods of items have no error to
// return.
func (it Item) in() *group {
	if it.group == nil {
		panic(noItem)
	}
	return it.group
}

// noItem is the panic's value. It is a variable, so that in is small enough to be inlined.
var noItem any = "gpu: the Item is a zero value, which no launch has made; kernels get theirs from Each, EachGroup or the functions that gpuc gen writes"

// Index returns the item's index along X in the launch (global_invocation_id.x).
func (it Item) Index() int { return it.Global().X }

// Global returns the item's index in the launch (global_invocation_id).
func (it Item) Global() Int3 {
	g := it.in()
	at, size := g.at, g.launch.size
	return Int3{at.X*size.X + it.local.X, at.Y*size.Y + it.local.Y, at.Z*size.Z + it.local.Z}
}

// Local returns the item's index in its workgroup (local_invocation_id).
func (it Item) Local() Int3 { return it.local }

// LocalIndex returns the item's linear index in its workgroup: X varies fastest, then Y
// (local_invocation_index).
func (it Item) LocalIndex() int { return it.number }

// Group returns the index of the item's workgroup (workgroup_id).
func (it Item) Group() Int3 { return it.in().at }

// Groups returns how many workgroups the launch has, by dimension (num_workgroups).
func (it Item) Groups() Int3 { return it.in().launch.grid }

// Size returns the size of a workgroup in items, by dimension.
func (it Item) Size() Int3 { return it.in().launch.size }

// Barrier waits for all items of the workgroup. What they wrote to workgroup memory and to buffers
// before is visible to all of them after it. It must be in uniform control flow: either all items
// of a workgroup call it or none. As plain Go it panics otherwise.
func (it Item) Barrier() { it.in().barrier(it.number) }

// UniformLoad reads workgroup memory between two barriers (WGSL §17.11, workgroupUniformLoad). All
// items of the workgroup get the same value, so that a branch on it is uniform and may contain
// barriers.
func UniformLoad[T any](it Item, p *T) T {
	it.in().barrier(it.number)
	v := *p
	it.in().barrier(it.number)
	return v
}
