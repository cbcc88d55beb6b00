package spirv

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Cooperative matrices (SPV_KHR_cooperative_matrix), of the scope Subgroup.
//
// A matrix is one value of a subgroup. What an invocation has in a register is its number in
// machine.matrices, and 0 is the matrix of zeros of any type. So moves, phis, calls and private
// variables need to know nothing of matrices. Each instruction on them checks that all invocations
// of a full subgroup reach it, with the same operands. None shows an element to an invocation: how
// devices spread elements is nowhere defined.
//
// Elements of bfloat16 have a kind of their own, which no other instructions take
// (SPV_KHR_bfloat16, "Validation Rules").
//
// Sums are made from the last product to the first in double precision, and rounded once. A device
// may round anywhere, so a kernel that depends on it has another result than elsewhere.

// The instructions.
const (
	opTypeMatrix   = 4456
	opMatrixLoad   = 4457
	opMatrixStore  = 4458
	opMatrixMulAdd = 4459

	capabilityMatrix      = 6022
	capabilityVulkanModel = 5345
	capabilityBrain       = 5116
	capabilityBrainMatrix = 5118

	matrixExtension   = "SPV_KHR_cooperative_matrix"
	brainExtension    = "SPV_KHR_bfloat16"
	encodingBrain     = 0
	memoryModelVulkan = 3
	scopeQueueFamily  = 5

	semanticsMakeAvailable = 0x2000
	semanticsMakeVisible   = 0x4000

	accessNonPrivate = 0x20
	texelNonPrivate  = 0x400
)

// matrixUse is the use of a matrix in products.
type matrixUse uint8

const (
	matrixA matrixUse = iota
	matrixB
	matrixSum
)

// matrixProduct is a product that devices have.
type matrixProduct struct {
	kind                 kind
	width, sum           uint8 // bits of the factors' elements, and of the sums'
	rows, columns, depth uint32
}

// matrixProducts are those of the H200 with the scope Subgroup
// (vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, driver 580). Integers are signed in all
// matrices of a product, or in none. Sums of bfloat16 are f32.
var matrixProducts = [...]matrixProduct{
	{floatKind, 16, 16, 16, 16, 16}, {floatKind, 16, 16, 16, 8, 16}, {floatKind, 16, 16, 16, 8, 8},
	{floatKind, 16, 32, 16, 16, 16}, {floatKind, 16, 32, 16, 8, 16}, {floatKind, 16, 32, 16, 8, 8},
	{integerKind, 8, 32, 16, 16, 32}, {integerKind, 8, 32, 16, 8, 32},
	{brainKind, 16, 32, 16, 16, 16}, {brainKind, 16, 32, 16, 8, 16}, {brainKind, 16, 32, 16, 8, 8},
}

// sumKind is the kind of the sums' elements.
func (p *matrixProduct) sumKind() kind {
	if p.kind == brainKind {
		return floatKind
	}
	return p.kind
}

// matrixOp is an instruction on matrices. Operands are registers.
type matrixOp struct {
	t            *typ // of the result, or of the stored matrix
	operands     [3]uint32
	operandCount int
	factors      [2]*typ
	// of a load or store
	pointer, stride      uint32
	width                uint8  // bits of what the pointer is to, or of a vector's component
	components           uint32 // of what the pointer is to
	class                uint32
	byColumn, nonPrivate bool
	array                arrayStep
	// of arithmetic on elements
	floating floating
	integer  integer
}

// arrayStep is the index into an array with which an access chain ends.
type arrayStep struct {
	is       bool
	constant bool
	value    uint64
	slot     uint32
	width    uint8
	count    uint32 // 0 for one without a length
	stride   uint64 // in bytes or slots
}

func (d *decoder) matrixType(i *raw) {
	w := i.operands
	d.needs(i, capabilityMatrix)
	t := &typ{id: i.result, kind: matrixKind, slots: 1, element: d.typeOf(i, w[0]), matrix: true}
	var numbers [4]uint32
	for n := range numbers {
		c := &d.ids[w[n+1]]
		if c.kind != constantID || c.t.kind != integerKind || c.t.width != 32 {
			d.fail(i, "operand %d is no constant of 32 bits", n+1)
		}
		numbers[n] = uint32(c.bits[0])
	}
	if numbers[0] != scopeSubgroup {
		d.fail(i, "not supported: matrices of scope %d", numbers[0])
	}
	switch t.element.kind {
	case integerKind, floatKind:
	case brainKind:
		d.needs(i, capabilityBrainMatrix)
	default:
		d.fail(i, "elements of type %%%d", t.element.id)
	}
	if numbers[3] > uint32(matrixSum) {
		d.fail(i, "use %d of a matrix", numbers[3])
	}
	t.rows, t.columns, t.use = numbers[1], numbers[2], matrixUse(numbers[3])
	if !t.isOfDevices() {
		d.fail(i, "not supported: a matrix of %d×%d elements of %d bits with use %d", t.rows, t.columns, t.element.width, t.use)
	}
	d.ids[i.result] = ident{kind: typeID, t: t}
}

// isOfDevices reports whether a matrix is one of some product that devices have.
func (t *typ) isOfDevices() bool {
	return slices.ContainsFunc(matrixProducts[:], func(p matrixProduct) bool {
		of, width, rows, columns := p.kind, p.width, p.rows, p.columns
		switch t.use {
		case matrixA:
			columns = p.depth
		case matrixB:
			rows = p.depth
		default:
			of, width = p.sumKind(), p.sum
		}
		return t.element.kind == of && t.element.width == width && t.rows == rows && t.columns == columns
	})
}

// matrixConstant adds the matrix of a constant whose elements are equal, and returns its number.
func (d *decoder) matrixConstant(i *raw, t *typ) uint64 {
	if len(i.operands) != 1 {
		d.fail(i, "%d constituents for a matrix", len(i.operands))
	}
	c := &d.ids[i.operands[0]]
	if c.kind != constantID || c.t != t.element {
		d.fail(i, "the constituent is no constant of the elements' type")
	}
	d.fixedMatrices = append(d.fixedMatrices, t.filled(c.bits[0]))
	return uint64(len(d.fixedMatrices))
}

// filled returns a matrix with equal elements.
func (t *typ) filled(x uint64) []uint64 {
	elements := make([]uint64, t.rows*t.columns)
	for n := range elements {
		elements[n] = x
	}
	return elements
}

// matrixMemory reads what loads and stores have after the pointer or the stored matrix.
func (b *builder) matrixMemory(x *matrixOp, pointer uint32, w []uint32) {
	p, pointee := b.pointer(pointer)
	b.want(pointee.is(integers) || pointee.is(floats), "the pointer's type")
	if p.t.class != classWorkgroup && p.t.class != classStorage {
		b.fail("a matrix in storage class %s", storageClasses[p.t.class])
	}
	x.pointer, x.class, x.width, x.components = p.slot, p.t.class, pointee.scalar().width, pointee.components()
	if x.width < x.t.element.width {
		b.fail("not supported: elements of %d bits through a pointer to type %%%d", x.t.element.width, pointee.id)
	}
	if x.array = b.arraySteps[pointer]; !x.array.is {
		b.fail("the pointer is not into an array")
	}
	switch layout := b.constantValue(w[0], "the layout"); layout {
	case 0, 1:
		x.byColumn = layout == 1
	default:
		b.fail("not supported: layout %d", layout)
	}
	if len(w) < 2 {
		b.fail("the stride is missing")
	}
	stride := b.use(w[1])
	b.want(stride.t.kind == integerKind && stride.t.width == 32, "the stride")
	x.stride = stride.slot
	if len(w) > 2 {
		x.nonPrivate = b.memoryOperands(w[2])
	}
	if x.class == classWorkgroup && !x.nonPrivate {
		b.fail("a private access to workgroup memory")
	}
}

// memoryOperands reads memory operands: None or NonPrivatePointer.
func (b *builder) memoryOperands(mask uint32) (nonPrivate bool) {
	if mask != 0 && (mask != accessNonPrivate || !b.vulkanModel) {
		b.fail("not supported: memory operands %#x", mask)
	}
	return mask == accessNonPrivate
}

// matrix translates an instruction on matrices.
func (b *builder) matrix() {
	w := b.i.operands
	x := matrixOp{}
	if b.i.result != 0 {
		x.t, _ = b.result()
		b.want(x.t.kind == matrixKind, "the result")
	}
	use := func(n int, id uint32, t *typ) {
		v := b.use(id)
		b.want(v.t == t, "operand %d", n)
		x.operands[n] = v.slot
		x.operandCount = n + 1
	}
	switch b.i.opcode {
	case opMatrixLoad:
		b.matrixMemory(&x, w[0], w[1:])
	case opMatrixStore:
		v := b.use(w[1])
		b.want(v.t.kind == matrixKind, "what is stored")
		x.t, x.operands[0], x.operandCount = v.t, v.slot, 1
		b.matrixMemory(&x, w[0], w[2:])
	case opCompositeConstruct:
		b.want(len(w) == 1, "the constituents do not make the result")
		use(0, w[0], x.t.element)
	case opMatrixMulAdd:
		b.product(&x)
		use(2, w[2], x.t)
	default:
		o := b.i.operation
		b.want(len(w) == 2 && (o.operand == integers || o.operand == floats) && o.operand == o.result && x.t.element.is(o.operand), "the elements")
		use(0, w[0], x.t)
		use(1, w[1], x.t)
		x.floating, x.integer = o.floating, o.word
		if x.floating == nil && x.t.element.width < 32 {
			if x.integer = o.narrow; x.integer == nil {
				x.integer = o.word // sums and products need the lowest bits only
			}
		}
	}
	b.matrixOps = append(b.matrixOps, x)
	b.add(inst{code: doMatrix, n: 1, table: uint32(len(b.matrixOps) - 1)})
}

// elementwise are the instructions on elements that kernels may have.
var elementwise = map[uint16]bool{128: true, 129: true, 130: true, 131: true, 132: true, 133: true}

// product reads the factors of a product, which is one that devices have.
func (b *builder) product(x *matrixOp) {
	w := b.i.operands
	for n := range x.factors {
		v := b.use(w[n])
		b.want(v.t.kind == matrixKind && v.t.use == matrixUse(n), "operand %d", n)
		x.factors[n], x.operands[n] = v.t, v.slot
	}
	left, right, sum := x.factors[0], x.factors[1], x.t
	b.want(sum.use == matrixSum && left.columns == right.rows && left.rows == sum.rows && right.columns == sum.columns, "the shapes")
	p := matrixProduct{left.element.kind, left.element.width, sum.element.width, sum.rows, sum.columns, left.columns}
	b.want(left.element == right.element && p.sumKind() == sum.element.kind && left.element.signed == sum.element.signed, "the elements")
	if !slices.Contains(matrixProducts[:], p) {
		b.fail("not supported: a product of %d×%d and %d×%d", left.rows, left.columns, right.rows, right.columns)
	}
	flags := uint32(0)
	if sum.element.kind == integerKind && sum.element.signed {
		flags = 0xF
	}
	given := uint32(0)
	if len(w) > 3 {
		given = w[3]
	}
	if given != flags {
		b.fail("matrix operands %#x, but the elements want %#x", given, flags)
	}
}

// executeMatrix executes an instruction on matrices, for all invocations of a subgroup.
func (m *machine) executeMatrix(lanes []lane, first *lane, i *inst) error {
	x := &m.matrixOps[i.table]
	if len(lanes) != int(m.subgroupSize) {
		return first.faulty(i, "a subgroup of %d invocations, which is not full", len(lanes))
	}
	for n := range lanes {
		if !m.active[n] {
			return first.faulty(i, "an instruction on matrices that invocation %v does not reach", lanes[n].id)
		}
	}
	uniform := func(slot uint32, what string) (uint64, error) {
		value := lanes[0].registers[slot]
		for n := range lanes {
			if lanes[n].registers[slot] != value {
				return 0, lanes[n].faulty(i, "%s is not that of the other invocations", what)
			}
			if m.tainted && lanes[n].undefinedRegisters[slot] {
				return 0, lanes[n].faulty(i, "%s is undefined", what)
			}
		}
		return value, nil
	}
	var operands [3]uint64
	for n := range x.operandCount {
		var err error
		if operands[n], err = uniform(x.operands[n], fmt.Sprintf("operand %d", n)); err != nil {
			return err
		}
	}
	var result []uint64
	switch i.opcode {
	case opMatrixLoad, opMatrixStore:
		pointer, err := uniform(x.pointer, "the pointer")
		if err != nil {
			return err
		}
		stride, err := uniform(x.stride, "the stride")
		if err != nil {
			return err
		}
		if pointer == nowhere {
			return first.outside
		}
		if !x.array.constant {
			if x.array.value, err = uniform(x.array.slot, "the index"); err != nil {
				return err
			}
		}
		if i.opcode == opMatrixStore {
			return m.storeMatrix(lanes, i, x, pointer, uint32(stride), m.elements(x.t, operands[0]))
		}
		if result, err = m.loadMatrix(lanes, i, x, pointer, uint32(stride)); err != nil {
			return err
		}
	case opCompositeConstruct:
		result = x.t.filled(operands[0])
	case opMatrixMulAdd:
		result = x.product(m.elements(x.factors[0], operands[0]), m.elements(x.factors[1], operands[1]), m.elements(x.t, operands[2]))
	default:
		a, b := m.elements(x.t, operands[0]), m.elements(x.t, operands[1])
		result = make([]uint64, len(a))
		for n := range a {
			if width := x.t.element.width; x.floating != nil {
				result[n] = fromDouble(width, x.floating(toDouble(width, a[n]), toDouble(width, b[n]), 0))
			} else {
				result[n] = truncate(width, x.integer(a[n], b[n], 0))
			}
		}
	}
	m.matrices = append(m.matrices, result)
	for n := range lanes {
		lanes[n].registers[i.d] = uint64(len(m.fixedMatrices) + len(m.matrices))
		if m.tainted {
			lanes[n].undefinedRegisters[i.d] = false
		}
	}
	return nil
}

// elements returns the elements of a matrix by its number.
func (m *machine) elements(t *typ, number uint64) []uint64 {
	switch fixed := uint64(len(m.fixedMatrices)); {
	case number == 0:
		return t.filled(0)
	case number <= fixed:
		return m.fixedMatrices[number-1]
	default:
		return m.matrices[number-fixed-1]
	}
}

// number returns the value of a float.
func (t *typ) number(bits uint64) float64 {
	if t.kind == brainKind { // the upper half of a float of 32 bits
		return singleToDouble(bits << 16)
	}
	return toDouble(t.width, bits)
}

// product returns left·right + sums.
func (x *matrixOp) product(left, right, sums []uint64) []uint64 {
	from, to := x.factors[0].element, x.t.element
	depth, columns := x.factors[0].columns, x.t.columns
	result := make([]uint64, len(sums))
	for n := range result {
		row, column := uint32(n)/columns, uint32(n)%columns
		exact, low := 0.0, uint64(0)
		for k := depth; k > 0; k-- {
			a, b := left[row*depth+k-1], right[(k-1)*columns+column]
			switch {
			case to.kind == floatKind:
				exact += from.number(a) * from.number(b)
			case from.signed:
				low += uint64(extend(from.width, a) * extend(from.width, b))
			default:
				low += a * b
			}
		}
		if to.kind == floatKind {
			result[n] = fromDouble(to.width, exact+toDouble(to.width, sums[n]))
		} else {
			result[n] = truncate(to.width, low+sums[n])
		}
	}
	return result
}

// matrixPlace is where the elements of a matrix are.
type matrixPlace struct {
	first     uint64 // bytes or slots before the first element
	wordBytes uint64 // of what a slot has
	bytes     uint64 // of an element
	stride    uint64 // bytes
}

// locate checks where the elements of a matrix are: in the array, and aligned (Vulkan,
// VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
func (m *machine) locate(l *lane, i *inst, x *matrixOp, pointer uint64, stride uint32) (p matrixPlace, err error) {
	p = matrixPlace{first: uint64(offset(pointer)), wordBytes: uint64(x.width / 8), bytes: uint64(x.t.element.width / 8)}
	unit := p.wordBytes * uint64(x.components) // of what the pointer is to, which strides count
	p.stride = uint64(stride) * unit
	lines, length := uint64(x.t.rows), uint64(x.t.columns)
	if x.byColumn {
		lines, length = length, lines
	}
	if stride == 0 && i.opcode == opMatrixStore {
		return p, l.faulty(i, "a stride of 0")
	}
	index, count := uint64(extend(x.array.width, x.array.value)), uint64(x.array.count)
	if count == 0 {
		start := p.first - index*x.array.stride
		count = (uint64(len(m.memories[pointer>>offsetBits].data)) - start) / x.array.stride
	}
	if end := index*unit + (lines-1)*p.stride + length*p.bytes; end > count*unit {
		return p, l.faulty(i, "an element at byte %d of an array of %d", end-p.bytes, count*unit)
	}
	align := min(16, length*p.bytes)
	at := p.first
	if x.class == classWorkgroup { // slots; a variable is aligned
		at = (p.first - uint64(m.variables[pointer>>offsetBits].base)) * p.wordBytes
	}
	if at%align != 0 || p.stride%align != 0 {
		return p, l.faulty(i, "byte %d with a stride of %d bytes, which are no multiples of %d", at, p.stride, align)
	}
	return p, nil
}

// accesses visits the elements of a matrix with their byte after the first one. The invocation that
// accesses a word is any; here it depends on nothing that a kernel knows.
func (x *matrixOp) accesses(m *machine, lanes []lane, p *matrixPlace, visit func(l *lane, n int, at uint64) error) error {
	for n := range int(x.t.rows * x.t.columns) {
		line, k := uint64(n)/uint64(x.t.columns), uint64(n)%uint64(x.t.columns)
		if x.byColumn {
			line, k = k, line
		}
		at := line*p.stride + k*p.bytes
		l := &lanes[(at/p.wordBytes*7+uint64(m.clock)+5)%uint64(len(lanes))]
		if err := visit(l, n, at); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) loadMatrix(lanes []lane, i *inst, x *matrixOp, pointer uint64, stride uint32) ([]uint64, error) {
	p, err := m.locate(&lanes[0], i, x, pointer, stride)
	if err != nil {
		return nil, err
	}
	result := make([]uint64, x.t.rows*x.t.columns)
	return result, x.accesses(m, lanes, &p, func(l *lane, n int, at uint64) error {
		if x.class == classWorkgroup {
			slot := uint32(p.first + at/p.wordBytes)
			if m.undefinedShared[slot] {
				return l.faulty(i, "the memory is not initialised")
			}
			result[n] = truncate(x.t.element.width, m.shared[slot]>>(8*(at%p.wordBytes)))
			return m.sharedShadows.read(m, l, i, slot, 1)
		}
		b := &m.memories[pointer>>offsetBits]
		if !b.readOnly && !x.nonPrivate {
			return l.faulty(i, "a private access to memory that is written")
		}
		from := uint32(p.first + at)
		result[n], err = get(l, i, b.data, from, x.t.element.width)
		if err != nil {
			return err
		}
		return b.shadows.read(m, l, i, from, uint32(p.bytes))
	})
}

func (m *machine) storeMatrix(lanes []lane, i *inst, x *matrixOp, pointer uint64, stride uint32, elements []uint64) error {
	p, err := m.locate(&lanes[0], i, x, pointer, stride)
	if err != nil {
		return err
	}
	return x.accesses(m, lanes, &p, func(l *lane, n int, at uint64) error {
		if x.class == classWorkgroup {
			slot, shift := uint32(p.first+at/p.wordBytes), 8*(at%p.wordBytes)
			mask := truncate(x.t.element.width, ^uint64(0)) << shift
			m.shared[slot] = m.shared[slot]&^mask | elements[n]<<shift
			m.undefinedShared[slot] = false
			return m.sharedShadows.write(m, l, i, slot, 1)
		}
		b := &m.memories[pointer>>offsetBits]
		if b.readOnly || !x.nonPrivate {
			return l.faulty(i, "a private access, or one to a NonWritable buffer")
		}
		to := uint32(p.first + at)
		switch p.bytes {
		case 1:
			b.data[to] = byte(elements[n])
		case 2:
			binary.LittleEndian.PutUint16(b.data[to:], uint16(elements[n]))
		default:
			binary.LittleEndian.PutUint32(b.data[to:], uint32(elements[n]))
		}
		return b.shadows.write(m, l, i, to, uint32(p.bytes))
	})
}
