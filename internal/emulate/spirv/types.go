package spirv

import "fmt"

type kind uint8

const (
	voidKind kind = iota
	boolKind
	integerKind
	floatKind
	vectorKind
	arrayKind
	runtimeArrayKind
	structKind
	pointerKind
	functionKind
	imageKind
	matrixKind
	brainKind // bfloat16, which matrices and constants have (SPV_KHR_bfloat16)
)

// typ is a type. A value has consecutive slots, one for each of its scalars. A pointer has one
// slot. So has an image, which is represented by the pointer to its variable.
type typ struct {
	kind    kind
	width   uint8 // bits of an integer or float; of a vector, of its components
	signed  bool
	count   uint32 // components of a vector, elements of an array
	slots   uint32
	element *typ
	members []*typ
	at      []uint32 // the first slot of each member
	class   uint32   // of a pointer
	image   *imageType
	// bytes and halves say whether some scalar of a value has 8, or 16 bits.
	bytes, halves bool
	id            uint32

	// matrix says that there are matrices in a value. Of a matrix there are its shape and use.
	matrix        bool
	rows, columns uint32
	use           matrixUse

	// Decorations.
	stride  uint32
	offsets []uint32 // of members, or absent
	block   bool

	leaves    []leaf // in a buffer, if hasLayout
	hasLayout bool
}

// absent is the value of a missing decoration.
const absent = ^uint32(0)

// maximumSlots limits the size of a value: to 32 MiB, with 64-bit slots.
const maximumSlots = 1 << 22

// leaf is a scalar of a value in a buffer.
type leaf struct {
	offset uint32 // bytes
	width  uint8  // bits
}

// scalar returns the type itself, or that of a vector's components.
func (t *typ) scalar() *typ {
	if t.kind == vectorKind {
		return t.element
	}
	return t
}

// components returns the number of components, 1 for a scalar.
func (t *typ) components() uint32 {
	if t.kind == vectorKind {
		return t.count
	}
	return 1
}

// is reports whether a type is a scalar or vector of a class.
func (t *typ) is(c class) bool {
	switch t.scalar().kind {
	case integerKind:
		return c == integers
	case floatKind:
		return c == floats
	case boolKind:
		return c == booleans
	}
	return false
}

// part returns the type of a composite's constituent and its first slot.
func (t *typ) part(index uint32) (part *typ, slot uint32, err error) {
	switch t.kind {
	case vectorKind, arrayKind:
		if index >= t.count {
			return nil, 0, fmt.Errorf("index %d is outside of a composite of %d", index, t.count)
		}
		return t.element, index * t.element.slots, nil
	case structKind:
		if index >= uint32(len(t.members)) {
			return nil, 0, fmt.Errorf("index %d is outside of a structure of %d members", index, len(t.members))
		}
		return t.members[index], t.at[index], nil
	}
	return nil, 0, fmt.Errorf("index %d into what is not a composite", index)
}

// parts returns the number of constituents of a composite, or 0.
func (t *typ) parts() int {
	switch t.kind {
	case vectorKind, arrayKind:
		return int(t.count)
	case structKind:
		return len(t.members)
	}
	return 0
}

// layout returns the scalars of a type in a buffer, by the module's decorations. An error says
// which scalar is misaligned or which parts overlap.
func (t *typ) layout() ([]leaf, error) {
	if t.hasLayout {
		return t.leaves, nil
	}
	leaves, err := t.appendLayout(nil, 0)
	if err != nil {
		return nil, err
	}
	t.leaves, t.hasLayout = leaves, true
	return leaves, nil
}

func (t *typ) appendLayout(leaves []leaf, offset uint32) ([]leaf, error) {
	var err error
	switch t.kind {
	case integerKind, floatKind:
		if offset%uint32(t.width/8) != 0 {
			return nil, fmt.Errorf("a scalar of %d bits lies at byte %d", t.width, offset)
		}
		return append(leaves, leaf{offset, t.width}), nil
	case vectorKind:
		for n := range t.count {
			if leaves, err = t.element.appendLayout(leaves, offset+n*uint32(t.width/8)); err != nil {
				return nil, err
			}
		}
		return leaves, nil
	case arrayKind:
		if err := t.checkStride(); err != nil {
			return nil, err
		}
		for n := range t.count {
			if leaves, err = t.element.appendLayout(leaves, offset+n*t.stride); err != nil {
				return nil, err
			}
		}
		return leaves, nil
	case structKind:
		end := uint32(0)
		for n, m := range t.members {
			at := t.offsets[n]
			if at == absent {
				return nil, fmt.Errorf("member %d of structure %%%d has no Offset", n, t.id)
			}
			if at < end {
				return nil, fmt.Errorf("member %d of structure %%%d overlaps another", n, t.id)
			}
			if m.kind == runtimeArrayKind {
				return nil, fmt.Errorf("structure %%%d ends in an array without a length and is used as a value", t.id)
			}
			first := len(leaves)
			if leaves, err = m.appendLayout(leaves, offset+at); err != nil {
				return nil, err
			}
			if last := len(leaves) - 1; last >= first {
				end = leaves[last].offset - offset + uint32(leaves[last].width/8)
			}
		}
		return leaves, nil
	}
	return nil, fmt.Errorf("type %%%d has no layout in a buffer", t.id)
}

// checkStride checks an array's stride against the size and alignment of its elements.
func (t *typ) checkStride() error {
	if t.stride == 0 {
		return fmt.Errorf("array %%%d has no ArrayStride", t.id)
	}
	leaves, err := t.element.layout()
	if err != nil {
		return err
	}
	for _, l := range leaves {
		if t.stride%uint32(l.width/8) != 0 {
			return fmt.Errorf("array %%%d of scalars of %d bits has a stride of %d bytes", t.id, l.width, t.stride)
		}
		if l.offset+uint32(l.width/8) > t.stride {
			return fmt.Errorf("elements of array %%%d overlap", t.id)
		}
	}
	return nil
}
