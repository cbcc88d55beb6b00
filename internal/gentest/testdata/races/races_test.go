package races

import (
	"io"
	"sync/atomic"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// items is how many are in a workgroup, where nothing else is said.
const items = 64

// memory is what the kernels have: x and y see all items, shared those of a workgroup.
type memory struct {
	x, y   []float32
	counts []uint32
	shared *[items]float32
	bins   *[items]uint32
}

// The kernels that are wrong lack what those of the same name beginning with Right have.

func RightSum(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.shared[l] = m.x[it.Index()]
	it.Barrier()
	for step := items / 2; step > 0; step /= 2 {
		if l < step {
			m.shared[l] += m.shared[l+step]
		}
		it.Barrier()
	}
	if l == 0 {
		m.y[it.Group().X] = m.shared[0]
	}
}

func SumWithBarrierBefore(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.shared[l] = m.x[it.Index()]
	it.Barrier()
	for step := items / 2; step > 0; step /= 2 {
		if l < step {
			m.shared[l] += m.shared[l+step]
		}
	}
	if l == 0 {
		m.y[it.Group().X] = m.shared[0]
	}
}

func SumWithBarrierBehind(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.shared[l] = m.x[it.Index()]
	for step := items / 2; step > 0; step /= 2 {
		if l < step {
			m.shared[l] += m.shared[l+step]
		}
		it.Barrier()
	}
	if l == 0 {
		m.y[it.Group().X] = m.shared[0]
	}
}

func SumWithout(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.shared[l] = m.x[it.Index()]
	for step := items / 2; step > 0; step /= 2 {
		if l < step {
			m.shared[l] += m.shared[l+step]
		}
	}
	if l == 0 {
		m.y[it.Group().X] = m.shared[0]
	}
}

func RightTurns(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	for n := range 4 {
		m.shared[l] = m.x[it.Index()] + float32(n)
		it.Barrier()
		m.y[it.Index()] += m.shared[items-1-l]
		it.Barrier()
	}
}

func TurnsWithoutSecond(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	for n := range 4 {
		m.shared[l] = m.x[it.Index()] + float32(n)
		it.Barrier()
		m.y[it.Index()] += m.shared[items-1-l]
	}
}

func Reversed(it gpu.Item, m *memory) {
	m.shared[it.LocalIndex()] = m.x[it.Index()]
	m.y[it.Index()] = m.shared[items-1-it.LocalIndex()]
}

func RightBins(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.bins[l] = 0
	it.Barrier()
	atomic.AddUint32(&m.bins[l*l%items], 1)
	it.Barrier()
	atomic.AddUint32(&m.counts[l], m.bins[l])
}

func BinsNotCleared(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.bins[l] = 0
	atomic.AddUint32(&m.bins[l*l%items], 1)
	it.Barrier()
	atomic.AddUint32(&m.counts[l], m.bins[l])
}

func BinsReadEarly(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.bins[l] = 0
	it.Barrier()
	atomic.AddUint32(&m.bins[l*l%items], 1)
	atomic.AddUint32(&m.counts[l], m.bins[l])
}

func BinsWithoutAtomics(it gpu.Item, m *memory) { m.counts[it.Index()%4]++ }

func RightMaximum(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	if l == 0 {
		m.bins[0] = 0
	}
	it.Barrier()
	gpu.AtomicMax(&m.bins[0], uint32(l))
	atomic.AddUint32(&m.bins[0], 0)
	gpu.AtomicXor(&m.bins[0], 0)
	it.Barrier()
	m.y[it.Index()] = float32(m.bins[0])
}

func MaximumReadEarly(it gpu.Item, m *memory) {
	gpu.AtomicMax(&m.bins[0], uint32(it.LocalIndex()))
	m.y[it.Index()] = float32(m.bins[0])
}

// MaximumHandsOn takes an atomic operation for a barrier.
func MaximumHandsOn(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.shared[l] = m.x[it.Index()]
	gpu.AtomicMax(&m.bins[0], uint32(l))
	if l > 0 {
		m.y[it.Index()] = m.shared[l-1]
	}
}

func RightGroups(it gpu.Item, m *memory) { atomic.AddUint32(&m.counts[it.LocalIndex()], 1) }

// GroupsTogether has a sum of all workgroups that none of them waits for.
func GroupsTogether(it gpu.Item, m *memory) {
	if it.LocalIndex() == 0 {
		m.y[0] += m.x[it.Group().X]
	}
}

func RightSubgroups(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	sum := gpu.SubgroupAdd(it, m.x[it.Index()])
	if it.SubgroupLane() == 0 {
		m.shared[it.Subgroup()] = sum
	}
	it.Barrier()
	if l == 0 {
		for n := range it.Subgroups() {
			m.y[it.Group().X] += m.shared[n]
		}
	}
	it.Barrier()
	m.shared[l] = gpu.SubgroupInclusiveAdd(it, float32(l)) + gpu.SubgroupShuffleXor(it, sum, 1)
}

func SubgroupsWithoutBarrier(it gpu.Item, m *memory) {
	sum := gpu.SubgroupAdd(it, m.x[it.Index()])
	if it.SubgroupLane() == 0 {
		m.shared[it.Subgroup()] = sum
	}
	if it.LocalIndex() == 0 {
		for n := range it.Subgroups() {
			m.y[it.Group().X] += m.shared[n]
		}
	}
}

func PrintHandsOn(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	m.shared[l] = m.x[it.Index()]
	it.Printf("%d", l)
	if l > 0 {
		m.y[it.Index()] = m.shared[l-1]
	}
}

func RightPrint(it gpu.Item, m *memory) { it.Printf("%g of %d", m.x[it.Index()], it.LocalIndex()) }

func RightUniform(it gpu.Item, m *memory) {
	if it.LocalIndex() == 5 {
		m.shared[0] = m.x[0]
	}
	m.y[it.Index()] = gpu.UniformLoad(it, &m.shared[0])
}

// tileArray is the type of a tile that has as many elements as a workgroup has items.
type tileArray = [8][items / 8]float32

func RightTiles(it gpu.Item, m *memory) {
	l, rows := it.LocalIndex(), 8*it.Group().X
	x, y := gpu.NewMatrix(m.x, len(m.x)/8, 8), gpu.NewMatrix(m.y, len(m.y)/8, 8)
	m.shared[l] = m.x[it.Index()]
	v := gpu.LoadTile[tileArray](it, x, rows, 0)
	v = gpu.MapTile[tileArray](it, v, func(row, col int, x float32) float32 { return x + m.shared[items-1-8*row-col] })
	m.shared[l] = float32(l)
	gpu.StoreTile(it, y, rows, 0, gpu.MulAdd(it, v, v, v))
	m.y[it.Index()] += m.shared[items-1-l]
	gpu.StoreTile(it, x, rows, 0, v)
	m.shared[l] = 0
}

// TilesTogether has all workgroups store the same tile.
func TilesTogether(it gpu.Item, m *memory) {
	x, y := gpu.NewMatrix(m.x, len(m.x)/8, 8), gpu.NewMatrix(m.y, len(m.y)/8, 8)
	gpu.StoreTile(it, y, 0, 0, gpu.LoadTile[tileArray](it, x, 8*it.Group().X, 0))
}

// TilesOfNext loads what the next workgroup stores.
func TilesOfNext(it gpu.Item, m *memory) {
	x := gpu.NewMatrix(m.x, len(m.x)/8, 8)
	v := gpu.LoadTile[tileArray](it, x, 8*it.Group().X+8, 0)
	gpu.StoreTile(it, x, 8*it.Group().X, 0, v)
}

// TilesOfItems has items write what f reads.
func TilesOfItems(it gpu.Item, m *memory) {
	l := it.LocalIndex()
	v := gpu.FillTile[tileArray](it, float32(1))
	gpu.MapTile[tileArray](it, v, func(row, col int, x float32) float32 {
		m.shared[l] = x
		return m.shared[(l+1)%items]
	})
}

// sums stores the sums of a workgroup's windows, which reach into the rows of the neighbours.
func sums(it gpu.Item, from, to []float32) {
	windows := gpu.NewTensor(from, 1, len(from)/8, 8, 1).Windows(gpu.Window{H: 3, W: 1, PadH: 1})
	v := gpu.LoadWindows[[items][3]float32](it, windows, items*it.Group().X, 0)
	gpu.StoreTile(it, gpu.NewMatrix(to, len(to), 1), items*it.Group().X, 0, gpu.SumTile[[items][1]float32](it, v))
}

func RightWindows(it gpu.Item, m *memory) { sums(it, m.x, m.y) }

// WindowsOfNeighbours loads what others store.
func WindowsOfNeighbours(it gpu.Item, m *memory) { sums(it, m.x, m.x) }

var kernels = map[string]func(gpu.Item, *memory){
	"RightSum": RightSum, "SumWithBarrierBefore": SumWithBarrierBefore, "SumWithBarrierBehind": SumWithBarrierBehind, "SumWithout": SumWithout,
	"RightTurns": RightTurns, "TurnsWithoutSecond": TurnsWithoutSecond, "Reversed": Reversed,
	"RightBins": RightBins, "BinsNotCleared": BinsNotCleared, "BinsReadEarly": BinsReadEarly, "BinsWithoutAtomics": BinsWithoutAtomics,
	"RightMaximum": RightMaximum, "MaximumReadEarly": MaximumReadEarly, "MaximumHandsOn": MaximumHandsOn,
	"RightGroups": RightGroups, "GroupsTogether": GroupsTogether,
	"RightSubgroups": RightSubgroups, "SubgroupsWithoutBarrier": SubgroupsWithoutBarrier,
	"PrintHandsOn": PrintHandsOn, "RightPrint": RightPrint,
	"RightUniform": RightUniform,
	"RightTiles":   RightTiles, "TilesTogether": TilesTogether, "TilesOfNext": TilesOfNext, "TilesOfItems": TilesOfItems,
	"RightWindows": RightWindows, "WindowsOfNeighbours": WindowsOfNeighbours,
}

// TestKernels runs each kernel twice on the same memory, one launch after the other.
func TestKernels(t *testing.T) {
	gpu.SetPlainOutput(io.Discard)
	for name, kernel := range kernels {
		t.Run(name, func(t *testing.T) {
			m := memory{x: make([]float32, 3*items), y: make([]float32, 3*items), counts: make([]uint32, items)}
			for range 2 {
				gpu.EachGroup(gpu.D1(3), gpu.Int3{X: items, Y: 1, Z: 1}, func() func(gpu.Item) {
					m := m
					m.shared, m.bins = new([items]float32), new([items]uint32)
					return func(it gpu.Item) { kernel(it, &m) }
				})
				m.x, m.y = m.y, m.x
			}
			t.Log(m.x[0], m.y[0], m.counts[0])
		})
	}
}

// TestAlone runs kernels whose items do not wait for each other.
func TestAlone(t *testing.T) {
	for name, kernel := range map[string]func(it gpu.Item, x []uint32){
		"RightScale": func(it gpu.Item, x []uint32) { x[it.Index()] *= 2 },
		"RightBins":  func(it gpu.Item, x []uint32) { atomic.AddUint32(&x[it.Index()%4], 1) },
		"Bins":       func(it gpu.Item, x []uint32) { x[it.Index()%4]++ },
		"Neighbours": func(it gpu.Item, x []uint32) { x[it.Index()] = x[(it.Index()+1)%len(x)] },
		"Last":       func(it gpu.Item, x []uint32) { x[min(it.Index(), len(x)-2)]++ },
	} {
		t.Run(name, func(t *testing.T) {
			x := make([]uint32, 1000)
			for range 2 {
				gpu.Each(gpu.Items1(len(x)), gpu.Int3{X: 64, Y: 1, Z: 1}, func(it gpu.Item) { kernel(it, x) })
				x[0]++
			}
		})
	}
}

// TestLarge: workgroups with more items than the detector has room for at once.
func TestLarge(t *testing.T) {
	for name, barrier := range map[string]bool{"RightTree": true, "Tree": false} {
		t.Run(name, func(t *testing.T) {
			x := make([]float32, 1024)
			gpu.EachGroup(gpu.D1(2), gpu.Int3{X: 1024, Y: 1, Z: 1}, func() func(gpu.Item) {
				shared := new([1024]float32)
				return func(it gpu.Item) {
					l := it.LocalIndex()
					shared[l] = x[l]
					it.Barrier()
					for step := 512; step > 0; step /= 2 {
						if l < step {
							shared[l] += shared[l+step]
						}
						if barrier {
							it.Barrier()
						}
					}
				}
			})
		})
	}
}
