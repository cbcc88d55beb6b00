package gfx942

import (
	"encoding/binary"
	"fmt"

	"github.com/sarchlab/akita/v4/mem/vm"
	"github.com/sarchlab/mgpusim/v4/amd/emu"
	"github.com/sarchlab/mgpusim/v4/amd/emu/cdna3"
	"github.com/sarchlab/mgpusim/v4/amd/insts"
)

// Execution of instructions by MGPUSim's disassembler and ALU, on the registers and memory of this
// package. It is an error if the two decoders disagree on the registers.

// foreignDecoder decodes the instructions that MGPUSim executes.
type foreignDecoder struct{ disassembler *insts.Disassembler }

func newForeignDecoder() *foreignDecoder {
	d := &foreignDecoder{insts.NewDisassembler()}
	d.disassembler.IsCDNA3 = true
	return d
}

// foreignInstruction is an instruction as MGPUSim decodes it.
type foreignInstruction struct{ inst *insts.Inst }

// attach decodes an instruction by MGPUSim too, if MGPUSim is to execute it.
func (d *foreignDecoder) attach(i *instruction, code []byte) error {
	if !executedByMGPUSim[i.name()] || i.special() {
		return nil
	}
	inst, err := d.decode(i, code)
	if err != nil {
		return err
	}
	i.foreign = &foreignInstruction{inst}
	return nil
}

// special reports whether an instruction has something that MGPUSim lacks for all opcodes:
//   - modifiers of results, and accumulation registers
//   - upper halves of registers, and different negations of two halves
//   - negations of the sources of a selection
//   - absolute values of the sources of a classification, which makes signaling NaN quiet
//   - SDWA of scalar registers, or with sign extension
//   - a register and an offset as the address of a scalar load
//   - one literal for two sources, which it counts twice
func (i *instruction) special() bool {
	switch {
	case i.clamp || i.omod != 0 || max(i.d, i.data[0], i.data[1]) >= accums:
		return true
	case i.row.format == smem:
		return i.scalarAddress != nothing || i.immediate < 0
	case i.row.format == vop3p:
		return i.neg != i.negHigh
	case i.form == subdword:
		return i.s[0] < vectors || i.unused == unusedSign || i.extended[0] || i.extended[1]
	case i.s[0] == literal && i.s[1] == literal:
		return true
	}
	classes := i.row.compare != nil && i.row.s[0] != i.row.s[1]
	return i.sel != 0 || i.row.selects && i.neg|i.abs != 0 || classes && i.abs != 0
}

// decode decodes an instruction by MGPUSim and compares the operands. The row provides the widths
// of operands, since MGPUSim does not always find them.
func (d *foreignDecoder) decode(i *instruction, code []byte) (inst *insts.Inst, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("MGPUSim's decoder: %v", p)
		}
	}()
	padded := append(append([]byte{}, code[:min(len(code), 16)]...), make([]byte, 16)...)
	inst, err = d.disassembler.Decode(padded)
	if err != nil {
		return nil, fmt.Errorf("MGPUSim's decoder: %w", err)
	}
	if uint64(inst.ByteSize) != i.size {
		return nil, fmt.Errorf("MGPUSim takes it for one of %d bytes, and it has %d", inst.ByteSize, i.size)
	}
	sources := [...]*insts.Operand{inst.Src0, inst.Src1, inst.Src2}
	for n, k := range i.row.s {
		if sources[n] == nil || k == none {
			continue
		}
		if err := agree(i, sources[n], i.s[n], k); err != nil {
			return nil, fmt.Errorf("source %d: %w", n, err)
		}
	}
	type match struct {
		what string
		o    *insts.Operand
		ours operand
		k    kind
	}
	operands := []match{{"the address", inst.Addr, i.address, none}, {"the data", inst.Data, i.data[0], none}, {"the second data", inst.Data1, i.data[1], none}}
	switch i.row.format {
	case smem:
		operands = []match{{"the base", inst.Base, i.address, b64}, {"the destination", inst.Data, i.d, i.row.d}}
	default:
		destination := i.d
		if i.row.compare != nil {
			destination = i.sd
		}
		operands = append(operands, match{"the destination", inst.Dst, destination, i.row.d}, match{"the second destination", inst.SDst, i.sd, mask})
	}
	for _, p := range operands {
		if p.o == nil || i.row.format == sopp {
			continue
		}
		if err := agree(i, p.o, p.ours, p.k); err != nil {
			return nil, fmt.Errorf("%s: %w", p.what, err)
		}
	}
	return inst, nil
}

// agree compares an operand with MGPUSim's. It sets the register's code, which then is different
// for vector registers, its width, and the value of a constant for the operand's type.
func agree(i *instruction, o *insts.Operand, ours operand, k kind) error {
	code := operand(o.Code)
	switch {
	case o.OperandType == insts.LiteralConstant:
		code = literal
	case o.OperandType == insts.RegOperand && o.Register.IsVReg():
		code = vectors + operand(o.Register.RegIndex())
	}
	if code != ours {
		return fmt.Errorf("MGPUSim finds operand %d, and it is %d", code, ours)
	}
	o.Code = int(code)
	if k != none {
		o.RegCount = registers[k]
		if o.OperandType != insts.RegOperand {
			o.OperandType, o.IntValue = insts.IntOperand, int64((&wave{}).read(i, ours, k, 0))
		}
	}
	return nil
}

// foreign is the state that MGPUSim's ALU sees.
type foreign struct {
	x      *execution
	alu    *cdna3.ALU
	i      *instruction
	buffer [4][16]byte // for results of ReadOperandBytes, of which the ALU holds two at most
	next   int
}

func newForeign(x *execution) *foreign {
	f := &foreign{x: x}
	f.alu = cdna3.NewALU(accessor{x})
	return f
}

// begin sets the workgroup memory of the ALU.
func (f *foreign) begin(lds []byte) { f.alu.SetLDS(lds) }

// run executes an instruction.
func (f *foreign) run(i *instruction) {
	w, r := f.x.wave, i.row
	f.i = i
	switch {
	case r.bytes > 0:
		f.x.check(i)
		f.alu.Run(f)
	case r.scalar != nil || r.keeping != nil:
		a, b := w.scalarSources(i)
		bits, scc := w.definedResult(i, a, b)
		f.alu.Run(f)
		w.definedSCC = w.definedSCC && (scc || r.keeping != nil)
		if r.d != none {
			w.define(i.d, r.d, bits)
		}
	case isVector[r.format] && r.run == nil:
		exec, known := w.exec(), w.definedSources(i)
		f.alu.Run(f)
		w.defineResult(i, exec, known)
	case r.moves:
		bits := w.definedMove(i, w.firstLane())
		f.alu.Run(f)
		w.define(i.d, b32, bits)
	default:
		f.alu.Run(f)
	}
}

// check checks the addresses and data of a memory access before MGPUSim executes it.
func (x *execution) check(i *instruction) {
	w, r := x.wave, i.row
	x.eachLane(func(lane int) {
		addresses := 1
		if r.format == ds {
			for _, address := range w.sharedAddresses(i, lane, r.stride) {
				x.shared(address, r.bytes)
			}
			addresses = 1 + int(min(r.stride, 1))
		} else {
			x.bytesAt(i, lane, r.bytes, r.stores)
		}
		if r.stores {
			for _, o := range i.data[:addresses] {
				for n := range max(r.bytes/4, 1) {
					w.vectorWord(o+operand(n), lane)
				}
			}
		}
	})
}

// foreignProblem returns the message of a panic by MGPUSim.
func foreignProblem(p any) (string, bool) {
	text, ok := p.(string)
	return "MGPUSim: " + text, ok
}

// accessor provides the launch's memory to MGPUSim's ALU.
type accessor struct{ x *execution }

func (a accessor) Read(_ vm.PID, address, bytes uint64) []byte {
	return a.x.memory.at(address, int(bytes), false)
}

func (a accessor) Write(_ vm.PID, address uint64, data []byte) {
	copy(a.x.memory.at(address, len(data), true), data)
}

var _ emu.InstEmuState = (*foreign)(nil)

func (f *foreign) PID() vm.PID       { return 0 }
func (f *foreign) Inst() *insts.Inst { return f.i.foreign.inst }
func (f *foreign) EXEC() uint64      { return f.x.wave.exec() }
func (f *foreign) SetEXEC(v uint64)  { f.x.wave.setScalar(execLow, b64, v) }
func (f *foreign) SetVCC(v uint64)   { f.x.wave.setScalar(vccLow, b64, v) }
func (f *foreign) SCC() byte         { return byte(f.x.wave.scc) }
func (f *foreign) SetSCC(v byte)     { f.x.wave.setSCC(uint64(v)) }
func (f *foreign) PC() uint64        { return f.x.wave.pc }
func (f *foreign) SetPC(v uint64)    { f.x.wave.pc = v }
func (f *foreign) VCC() uint64       { return uint64(f.x.wave.s[vccLow]) | uint64(f.x.wave.s[vccLow+1])<<32 }

// ReadOperand returns the value of an operand, zero-extended.
func (f *foreign) ReadOperand(o *insts.Operand, lane int) uint64 {
	w, two := f.x.wave, o.RegCount == 2
	if o.OperandType == insts.RegOperand {
		n := operand(o.Code)
		if n >= vectors {
			x := uint64(w.v[n-vectors][lane])
			if two {
				x |= uint64(w.v[n-vectors+1][lane]) << 32
			}
			return x
		}
		if n >= scalars {
			return w.status(n)
		}
		x := uint64(w.s[n])
		if two {
			x |= uint64(w.s[n+1]) << 32
		}
		return x
	}
	return uint64(o.IntValue)
}

func (f *foreign) WriteOperand(o *insts.Operand, lane int, value uint64) {
	k := b32
	if o.RegCount == 2 {
		k = b64
	}
	if n := operand(o.Code); n >= vectors {
		f.x.wave.setVector(n, lane, k, value)
	} else {
		f.x.wave.setScalar(n, k, value)
	}
}

func (f *foreign) ReadOperandBytes(o *insts.Operand, lane, bytes int) []byte {
	f.next = (f.next + 1) % len(f.buffer)
	data := f.buffer[f.next][:]
	for n := 0; n < bytes; n += 4 {
		binary.LittleEndian.PutUint32(data[n:], uint32(f.x.wave.vectorWord(operand(o.Code+n/4), lane)))
	}
	return data[:bytes]
}

func (f *foreign) WriteOperandBytes(o *insts.Operand, lane int, data []byte) {
	for n := 0; n+4 <= len(data); n += 4 {
		x := binary.LittleEndian.Uint32(data[n:])
		if r := operand(o.Code + n/4); r >= vectors {
			f.x.wave.setVectorWord(r, lane, x)
		} else {
			f.x.wave.setScalar(r, b32, uint64(x))
		}
	}
}
