package spirv

// Decoding of types, constants and variables.

// typeOf returns the type with an id.
func (d *decoder) typeOf(i *raw, id uint32) *typ {
	if d.ids[id].kind != typeID {
		d.fail(i, "%%%d is not a type", id)
	}
	return d.ids[id].t
}

func (d *decoder) makeType(i *raw) {
	w := i.operands
	t := &typ{id: i.result, slots: 1}
	switch i.opcode {
	case opTypeVoid:
		t.slots = 0
	case opTypeBool:
		t.kind = boolKind
	case opTypeInt:
		t.kind, t.signed = integerKind, w[1] != 0
		d.numberType(i, t, "integers", integerCapabilities)
	case opTypeFloat:
		t.kind = floatKind
		needed := floatCapabilities
		if len(w) > 1 {
			if w[1] != encodingBrain {
				d.fail(i, "not supported: floats of encoding %d", w[1])
			}
			t.kind, needed = brainKind, brainCapabilities
		}
		d.numberType(i, t, "floats", needed)
	case opTypeImage:
		d.imageType(i, t)
	case opTypeVector:
		t.kind, t.element, t.count = vectorKind, d.typeOf(i, w[0]), w[1]
		if k := t.element.kind; k != boolKind && k != integerKind && k != floatKind || w[1] < 2 || w[1] > 4 {
			d.fail(i, "a vector of %d components of %%%d", w[1], w[0])
		}
		t.width, t.slots = t.element.width, t.count
	case opTypeArray, opTypeRuntimeArray:
		d.arrayType(i, t)
	case opTypeStruct:
		t.kind, t.slots = structKind, 0
		t.block = d.decorations[i.result].block
		for n, id := range w {
			m := d.typeOf(i, id)
			d.refuseImage(i, m)
			offset, ok := d.offsets[member{i.result, uint32(n)}]
			if !ok {
				offset = absent
			}
			t.members, t.at, t.offsets = append(t.members, m), append(t.at, t.slots), append(t.offsets, offset)
			if t.slots += m.slots; t.slots > maximumSlots {
				d.fail(i, "not supported: a type of more than %d scalars", maximumSlots)
			}
		}
	case opTypePointer:
		d.known(i, "storage class", storageClasses, w[0])
		t.kind, t.class, t.element = pointerKind, w[0], d.typeOf(i, w[1])
		if t.element.matrix && t.class != classFunction && t.class != classPrivate {
			d.fail(i, "a pointer of storage class %s to a matrix", storageClasses[t.class])
		}
		if (t.class == classUniformConstant) != (t.element.kind == imageKind) {
			d.fail(i, "not supported: a pointer of storage class %s to type %%%d", storageClasses[t.class], t.element.id)
		}
	case opTypeFunction:
		t.kind, t.element = functionKind, d.typeOf(i, w[0])
		for _, id := range w[1:] {
			t.members = append(t.members, d.typeOf(i, id))
		}
	}
	switch t.kind {
	case vectorKind, arrayKind, runtimeArrayKind:
		t.bytes, t.halves, t.matrix = t.element.bytes, t.element.halves, t.element.matrix
	case structKind:
		for _, m := range t.members {
			t.bytes, t.halves, t.matrix = t.bytes || m.bytes, t.halves || m.halves, t.matrix || m.matrix
		}
	}
	d.ids[i.result] = ident{kind: typeID, t: t}
}

// The capabilities that scalars of a width need.
var (
	integerCapabilities = map[uint32]uint32{8: capabilityInt8, 16: capabilityInt16, 32: capabilityShader, 64: capabilityInt64}
	floatCapabilities   = map[uint32]uint32{16: capabilityFloat16, 32: capabilityShader, 64: capabilityFloat64}
	brainCapabilities   = map[uint32]uint32{16: capabilityBrain}
)

// numberType reads the width of an integer or float type.
func (d *decoder) numberType(i *raw, t *typ, what string, needed map[uint32]uint32) {
	width := i.operands[0]
	capability, ok := needed[width]
	if !ok {
		d.fail(i, "not supported: %s of %d bits", what, width)
	}
	d.needs(i, capability)
	t.width = uint8(width)
	t.bytes, t.halves = width == 8, width == 16
	switch {
	case t.bytes:
		d.grain = 0
	case t.halves:
		d.grain = min(d.grain, 1)
	}
}

// smallScalars refuses a buffer with scalars of 8 or 16 bits unless the module has a
// capability for them in its storage class (SPIR-V §3.31).
func (d *decoder) smallScalars(i *raw, v *variable) {
	if !v.t.bytes && !v.t.halves {
		return
	}
	for _, c := range [...]struct {
		has              bool
		bits             int
		storage, uniform []uint32 // any of these
	}{
		{v.t.bytes, 8, []uint32{capabilityStorage8}, nil},
		{v.t.halves, 16, []uint32{capabilityStorage16, capabilityUniform16}, []uint32{capabilityUniform16}},
	} {
		if !c.has {
			continue
		}
		either := map[uint32][]uint32{classStorage: c.storage, classUniform: c.uniform}[v.class]
		if either == nil {
			d.fail(i, "not supported: scalars of %d bits in storage class %s", c.bits, storageClasses[v.class])
		}
		d.needs(i, either...)
	}
}

func (d *decoder) arrayType(i *raw, t *typ) {
	t.element = d.typeOf(i, i.operands[0])
	d.refuseImage(i, t.element)
	if s := d.decorations[i.result].stride; s != absent {
		t.stride = s
	}
	if i.opcode == opTypeRuntimeArray {
		t.kind, t.slots = runtimeArrayKind, 0
		return
	}
	length := &d.ids[i.operands[1]]
	if length.kind != constantID || length.t.kind != integerKind || length.t.width < 32 || length.bits[0] == 0 {
		d.fail(i, "the length of an array is no positive constant")
	}
	t.kind = arrayKind
	n := length.bits[0]
	if n > maximumSlots || n*uint64(t.element.slots) > maximumSlots {
		d.fail(i, "not supported: a type of more than %d scalars", maximumSlots)
	}
	t.count, t.slots = uint32(n), uint32(n)*t.element.slots
}

func (d *decoder) constant(i *raw) {
	t := d.typeOf(i, i.typ)
	bits := make([]uint64, t.slots)
	w := i.operands
	switch i.opcode {
	case opConstantTrue, opConstantFalse:
		if t.kind != boolKind {
			d.fail(i, "a truth value of a type that is not bool")
		}
		bits[0] = truth(i.opcode == opConstantTrue)
	case opConstantNull:
		if t.kind == voidKind || t.kind == pointerKind || t.kind == functionKind || t.kind == runtimeArrayKind || t.kind == imageKind {
			d.fail(i, "not supported: a null of type %%%d", t.id)
		}
	case opConstant, opSpecConstant: // nothing is specialised
		if t.kind != integerKind && t.kind != floatKind && t.kind != brainKind || len(w) != max(1, int(t.width)/32) {
			d.fail(i, "a number of %d words for type %%%d", len(w), t.id)
		}
		for n, word := range w {
			bits[0] |= uint64(word) << (32 * n)
		}
		// the sign of a signed integer fills the word, else zeros do (SPIR-V, OpConstant)
		if t.width < 32 {
			pattern := truncate(t.width, bits[0])
			want := pattern
			if t.signed {
				want = truncate(32, uint64(extend(t.width, pattern)))
			}
			if bits[0] != want {
				d.fail(i, "a number of %d bits with other bits above them", t.width)
			}
			bits[0] = pattern
		}
	case opConstantComposite:
		if t.kind == matrixKind {
			bits[0] = d.matrixConstant(i, t)
			break
		}
		if t.parts() == 0 || len(w) != t.parts() {
			d.fail(i, "%d constituents for type %%%d", len(w), t.id)
		}
		for n, id := range w {
			part, slot, _ := t.part(uint32(n))
			c := &d.ids[id]
			if c.kind != constantID || c.t != part {
				d.fail(i, "constituent %d is no constant of its type", n)
			}
			copy(bits[slot:], c.bits)
		}
	}
	c := ident{kind: constantID, t: t, bits: bits}
	if len(bits) <= registerConstant {
		c.slot = uint32(len(d.constants))
		d.constants = append(d.constants, bits...)
	} else {
		c.slot = pooled | uint32(len(d.pool))
		d.pool = append(d.pool, bits...)
	}
	d.ids[i.result] = c
}

// variable reads a variable outside of functions. Its id denotes a pointer, which is a constant.
func (d *decoder) variable(i *raw) {
	t := d.typeOf(i, i.typ)
	if t.kind != pointerKind || t.class != i.operands[0] || t.class == classFunction {
		d.fail(i, "the type of the variable is no pointer of its storage class")
	}
	x := &d.decorations[i.result]
	v := variable{class: t.class, t: t.element, id: i.result, set: x.set, binding: x.binding, builtin: x.builtin, readOnly: x.readOnly, writeOnly: x.writeOnly}
	if len(i.operands) > 1 {
		c := &d.ids[i.operands[1]]
		if c.kind != constantID || c.t != t.element || t.class != classPrivate {
			d.fail(i, "not supported: an initializer that is no constant of the type, or is of this storage class")
		}
		v.initial = c.bits
	}
	d.checkBinding(i, &v)
	base := uint32(0)
	switch t.class {
	case classStorage, classUniform, classPushConstant:
		if t.element.kind != structKind || !t.element.block {
			d.fail(i, "the type of a buffer is no structure with the decoration Block")
		}
		v.readOnly = v.readOnly || t.class != classStorage
		d.smallScalars(i, &v)
	case classInput:
		d.known(i, "builtin", builtins, v.builtin)
		d.checkBuiltin(i, &v)
		base, v.readOnly = d.memory, true
		d.memory += t.element.slots
	case classPrivate:
		base = d.memory
		d.memory += t.element.slots
	case classWorkgroup:
		base = d.shared
		d.shared += t.element.slots
	}
	if d.memory > maximumSlots || d.shared > maximumSlots {
		d.fail(i, "not supported: more than %d scalars of variables", maximumSlots)
	}
	v.base = base
	d.ids[i.result] = ident{kind: variableID, t: t, index: uint32(len(d.variables)), slot: uint32(len(d.constants))}
	d.constants = append(d.constants, pointer(len(d.variables), base))
	d.variables = append(d.variables, v)
}

// checkBinding refuses a variable without a group and binding, or with those of another one.
func (d *decoder) checkBinding(i *raw, v *variable) {
	if !v.isBound() {
		return
	}
	if v.set == absent || v.binding == absent {
		d.fail(i, "the variable lacks DescriptorSet or Binding")
	}
	for n := range d.variables {
		if o := &d.variables[n]; o.isBound() && o.set == v.set && o.binding == v.binding && !(o.readOnly && v.readOnly && o.class == classStorage && v.class == classStorage) {
			d.fail(i, "not supported: two variables of group %d, binding %d, of which one is written", v.set, v.binding)
		}
	}
}

// checkBuiltin compares the type of an input with its builtin.
func (d *decoder) checkBuiltin(i *raw, v *variable) {
	components := uint32(1)
	switch v.builtin {
	case builtinNumWorkgroups, builtinWorkgroupID, builtinLocalID, builtinGlobalID:
		components = 3
	}
	if !v.t.is(integers) || v.t.width != 32 || v.t.components() != components {
		d.fail(i, "the type of %s is not that of the builtin", builtins[v.builtin])
	}
}
