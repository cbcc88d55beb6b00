package mir

// Definitions say where registers are assigned.
type Definitions struct {
	f     *Func
	inst  []Inst // by register
	block []int32
}

// Analyse finds the definitions of a function. Registers that it gets later have none.
func (d *Definitions) Analyse(f *Func) {
	d.f, d.inst, d.block = f, make([]Inst, f.Indices()), make([]int32, f.Indices())
	for n, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			d.block[f.Index(r)] = int32(n)
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				d.inst[f.Index(r)], d.block[f.Index(r)] = i, int32(n)
			}
		}
	}
}

// Def returns the instruction that assigns a register, or 0 for a parameter of a block.
func (d *Definitions) Def(o Operand) Inst { return d.inst[d.f.Index(o)] }

// DefBlock returns the position in Func.Order of the block that assigns a register.
func (d *Definitions) DefBlock(o Operand) int { return int(d.block[d.f.Index(o)]) }
