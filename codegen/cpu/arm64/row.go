package arm64

import "sync/atomic"

// This file defines the rows of the table, and queries on them.

// row describes one way to encode an instruction. An Op has one or several, one after the other.
type row struct {
	op     Op
	name   string
	word   uint32 // the bits that are the same in all
	shapes shapeSet
	coding coding
	slots  of
	tail   tail
}

type of = [MaxOperands]slot

// coding is how the shape is encoded.
type coding uint8

// The codings. Names of the fields are the manual's.
const (
	fixed        coding = iota
	sf                  // bit 31, of general registers
	sfN                 // the same, and bit 22
	bit30               // of general registers in memory
	signedLoad          // bit 22, of 32 bits
	q                   // bit 30, of all bytes or half of them
	qSize               // and the element in bits 22 and 23
	qSizeNamed          // the same, and all 128 bits are a 2 after the name
	qFloat              // q and bit 22, which is 1 of doubles
	qNamed              // q as in qSizeNamed, with the element in an immediate
	qFloatNamed         // qFloat as in qSizeNamed, for elements of 16 or 32 bits and twice as many
	qCopy               // q, and the element in the lowest bits of 5 from bit 16 on
	element             // the element alone
	elementQ            // and bit 30 where it has 64 bits
	floatType           // bits 22 and 23, of single numbers
	floatGeneral        // the same, and bit 31 of 64 bits
	size                // bits 30 and 31 and of vectors 23 and 26: of what is loaded
	pairSize            // the same of two registers
	laneSize            // bits 10, 14 and 15, of one element
	listSize            // q, and the element in bits 10 and 11
)

// tail is what the text has after the operands.
type tail uint8

// The tails.
const (
	noTail     tail = iota
	named           // not after them: the condition in the name
	chosen          // a condition in bits 12 to 15
	flagged         // Amount, the flags that are set, then the condition
	shifted         // how the last register is shifted: Extend from LSL on, Amount
	rotated         // the same with ROR
	extended        // how it is extended, and shifted by up to 4
	leftTwelve      // an immediate is shifted to the left by 0 or 12
	leftWord        // by a multiple of 16
	leftByte        // by a multiple of 8
)

// span is where the rows of an Op are.
type span struct{ first, count uint16 }

// tables are the rows, and where those of each Op are.
type tables struct {
	rows  []row
	spans [Ops]span
}

// built caches what table returns.
var built atomic.Pointer[tables]

// table returns the rows. They are assembled on first use, since most processes make
// no machine code.
func table() *tables {
	if t := built.Load(); t != nil {
		return t
	}
	return assembleTables()
}

// assembleTables puts the parts together. If two do so at once, both make the same.
func assembleTables() *tables {
	t := new(tables)
	for _, part := range [...][]row{vectorRows, convertRows, laneRows, memoryRows, generalRows} {
		t.rows = append(t.rows, part...)
	}
	for n := range t.rows {
		s := &t.spans[t.rows[n].op]
		if s.count++; s.count == 1 {
			s.first = uint16(n)
		}
	}
	built.Store(t)
	return t
}

// rowsOf returns the rows of an Op.
func rowsOf(o Op) []row {
	t := table()
	s := t.spans[o]
	return t.rows[s.first : s.first+s.count]
}

// String returns the mnemonic, without a condition.
func (o Op) String() string {
	if o >= Ops {
		return "?"
	}
	return rowsOf(o)[0].name
}

// Access returns whether operand n is read or written. The base of an address that is changed is in
// none.
func (o Op) Access(n int) Access { return slotRows[rowsOf(o)[0].slots[n]].access }
