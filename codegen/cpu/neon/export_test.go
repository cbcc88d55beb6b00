package neon

// Size returns how many bytes of instructions the last function has, those after its end that stop
// included.
func (t *Translator) Size() int { return t.assembler.Offset(len(t.list)) }
