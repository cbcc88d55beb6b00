package object

import "encoding/binary"

// This file writes the part of MessagePack (github.com/msgpack/msgpack, spec.md) that notes use,
// each value in its shortest form.

// packer is a buffer of MessagePack.
type packer []byte

// head appends the head of a value with a length or number n. If n is less than shortest it is one
// byte, else a byte for the format and 1 (unless one is 0), 2 or 4 bytes.
func (p *packer) head(n int, short byte, shortest int, one, two, four byte) {
	switch {
	case n < shortest:
		*p = append(*p, short|byte(n))
	case n < 1<<8 && one != 0:
		*p = append(*p, one, byte(n))
	case n < 1<<16:
		*p = binary.BigEndian.AppendUint16(append(*p, two), uint16(n))
	default:
		*p = binary.BigEndian.AppendUint32(append(*p, four), uint32(n))
	}
}

// fields begins a map of n pairs.
func (p *packer) fields(n int) { p.head(n, 0x80, 16, 0, 0xDE, 0xDF) }

// list begins a list of n values.
func (p *packer) list(n int) { p.head(n, 0x90, 16, 0, 0xDC, 0xDD) }

func (p *packer) text(s string) {
	p.head(len(s), 0xA0, 32, 0xD9, 0xDA, 0xDB)
	*p = append(*p, s...)
}

func (p *packer) number(n uint32) { p.head(int(n), 0, 128, 0xCC, 0xCD, 0xCE) }

func (p *packer) boolean(b bool) {
	if b {
		*p = append(*p, 0xC3)
	} else {
		*p = append(*p, 0xC2)
	}
}

// pair is a key and its value: the text, or the number if that is empty.
type pair struct {
	key    string
	text   string
	number uint32
}

func (p *packer) pair(f pair) {
	p.text(f.key)
	if f.text != "" {
		p.text(f.text)
	} else {
		p.number(f.number)
	}
}
