package gfx942

import (
	"encoding/binary"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
)

// Tests of kernels that are written by hand, encoded by package isa and written to a code object by
// package object, without LLVM.

// assembly is machine code with labels.
type assembly struct {
	t        *testing.T
	list     []isa.Instruction
	labels   map[string]int // the instruction at each
	branches map[int]string
}

func (a *assembly) add(o isa.Op, operands ...isa.Operand) *isa.Instruction {
	i := isa.Instruction{Op: o}
	copy(i.Operands[:], operands)
	a.list = append(a.list, i)
	return &a.list[len(a.list)-1]
}

func (a *assembly) addImmediate(o isa.Op, n int32, operands ...isa.Operand) {
	a.add(o, operands...).Immediate = n
}

func (a *assembly) branch(o isa.Op, label string) {
	a.branches[len(a.list)] = label
	a.add(o)
}

func (a *assembly) label(name string) { a.labels[name] = len(a.list) }

// code encodes the instructions and resolves the branches.
func (a *assembly) code() (code []byte) {
	a.t.Helper()
	offsets := []int{0}
	for n := range a.list {
		size, err := isa.Size(isa.GFX942, &a.list[n])
		if err != nil {
			a.t.Fatal(err)
		}
		offsets = append(offsets, offsets[n]+size)
	}
	for n, label := range a.branches {
		a.list[n].Immediate = int32(offsets[a.labels[label]]-offsets[n+1]) / 4
	}
	for n := range a.list {
		var err error
		if code, err = isa.Append(code, isa.GFX942, &a.list[n]); err != nil {
			a.t.Fatal(err)
		}
	}
	return code
}

// TestEncoded adds two vectors by a grid-stride loop. The lengths are no multiples of a wave, so in
// the last iteration some lanes are inactive, and some waves have nothing to do.
func TestEncoded(t *testing.T) {
	const group, groups, length = 128, 3, 1000
	s, v := isa.SGPR, isa.VGPR
	a := &assembly{t: t, labels: map[string]int{}, branches: map[int]string{}}
	a.add(isa.SLoadB128, s(4), s(0)) // the first two addresses
	// the third, the length, how many invocations there are
	a.addImmediate(isa.SLoadB128, 16, s(8), s(0))
	a.add(isa.SLshlB32, s(2), s(2), isa.Constant(7)) // 128 invocations in a group
	a.add(isa.VAddNcU32, v(0), s(2), v(0))           // the element
	a.addImmediate(isa.SWaitcnt, lgkm0())            // for the arguments
	a.add(isa.VCmpGtU32, isa.VCC, s(10), v(0))
	a.add(isa.SAndSaveexecB64, s(12), isa.VCC)
	a.branch(isa.SCbranchExecz, "end")
	a.label("loop")
	a.add(isa.VLshlrevB32, v(1), isa.Constant(2), v(0))
	a.add(isa.GlobalLoadB32, v(2), v(1), s(4))
	a.add(isa.GlobalLoadB32, v(3), v(1), s(6))
	a.add(isa.VAddNcU32, v(0), s(11), v(0))
	a.addImmediate(isa.SWaitcnt, isa.Wait{VM: 0, Exp: 7, LGKM: 15}.Encode(isa.GFX942))
	a.add(isa.VAddNcU32, v(2), v(2), v(3))
	a.add(isa.GlobalStoreB32, v(1), v(2), s(8))
	a.add(isa.VCmpGtU32, isa.VCC, s(10), v(0))
	a.add(isa.SAndB64, isa.EXEC, isa.EXEC, isa.VCC)
	a.branch(isa.SCbranchExecnz, "loop")
	a.label("end")
	a.add(isa.SEndpgm)

	data, err := object.Write(isa.GFX942, []object.Kernel{{
		Name: "add", Code: a.code(), VGPRs: 4, SGPRs: object.CountSGPRs(isa.GFX942, 14, true),
		Arguments: []object.Argument{
			{Name: "a", Bytes: 8, Kind: object.GlobalBuffer, ReadOnly: true}, {Name: "b", Offset: 8, Bytes: 8, Kind: object.GlobalBuffer, ReadOnly: true},
			{Name: "sum", Offset: 16, Bytes: 8, Kind: object.GlobalBuffer}, {Name: "length", Offset: 24, Bytes: 4, Kind: object.ByValue}, {Name: "all", Offset: 28, Bytes: 4, Kind: object.ByValue},
		},
		ArgumentBytes: 32, ArgumentAlign: 8, Wave: 64, Workgroup: group, Groups: [3]bool{true, false, false}, Items: 1,
	}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []uint32{length, group*groups + 1, 70, 0} {
		buffers := make([][]byte, 3)
		for n := range buffers {
			buffers[n] = make([]byte, 4*max(length, 1))
		}
		for n := range length {
			binary.LittleEndian.PutUint32(buffers[0][4*n:], n*n)
			binary.LittleEndian.PutUint32(buffers[1][4*n:], 1<<31+n)
		}
		steps := 0
		if err := o.Run(&Launch{Kernel: "add", Grid: [3]uint32{groups, 1, 1}, Workgroup: [3]uint32{group, 1, 1}, Buffers: buffers, Arguments: []Argument{
			{Buffer: 0}, {Buffer: 1}, {Buffer: 2}, {Align: 4, Bytes: binary.LittleEndian.AppendUint32(nil, length)}, {Align: 4, Bytes: binary.LittleEndian.AppendUint32(nil, group*groups)},
		}, Count: func(string, bool) { steps++ }}); err != nil {
			t.Fatal(err)
		}
		for n := range length {
			if got, want := binary.LittleEndian.Uint32(buffers[2][4*n:]), n*n+1<<31+n; got != want {
				t.Fatalf("of %d, element %d is %d, not %d", length, n, got, want)
			}
		}
		t.Logf("%d elements: %d instructions of waves", length, steps)
	}
}

// lgkm0 is the operand of s_waitcnt that waits for scalar loads.
func lgkm0() int32 {
	w := isa.NoWait(isa.GFX942)
	w.LGKM = 0
	return w.Encode(isa.GFX942)
}
