// The parameters of graphs' nodes, which CUDA and HIP have in other orders.

package cudalike

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
)

// Nodes says where in their structures the parameters of nodes are, as offsets in bytes. What they
// do not name is 0.
type Nodes struct {
	Launch LaunchNode
	Fill   FillNode
}

// LaunchNode are the offsets of the parameters of a launch. Grid and workgroup are three words.
type LaunchNode struct {
	Function, Grid, Workgroup, Shared, Parameters uint8
}

// FillNode are the offsets of the parameters of a fill.
type FillNode struct {
	To, Value, Element, Width, Height uint8
}

// parameters is the structure of a node, which has at most 72 bytes.
type parameters [9]uint64

func (p *parameters) address() uintptr { return uintptr(unsafe.Pointer(p)) }

func (p *parameters) word(at uint8, value uint32) {
	binary.NativeEndian.PutUint32(dl.Bytes(p.address()+uintptr(at), 4), value)
}

func (p *parameters) long(at uint8, value uintptr) {
	binary.NativeEndian.PutUint64(dl.Bytes(p.address()+uintptr(at), 8), uint64(value))
}

// launch lays out a launch. The arguments stay where they are until the node is added.
func (p *parameters) launch(n *LaunchNode, function uintptr, grid, workgroup [3]uint32, shared uint32, arguments uintptr) {
	*p = parameters{}
	p.long(n.Function, function)
	p.long(n.Parameters, arguments)
	p.word(n.Shared, shared)
	for d := range uint8(3) {
		p.word(n.Grid+4*d, grid[d])
		p.word(n.Workgroup+4*d, workgroup[d])
	}
}

// fill lays out a fill of words with zeros.
func (p *parameters) fill(n *FillNode, to, words uintptr) {
	*p = parameters{}
	p.long(n.To, to)
	p.word(n.Element, 4)
	p.long(n.Width, words)
	p.long(n.Height, 1)
}
