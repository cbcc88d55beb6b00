package gofuzz

// atomic writes an atomic operation of 64 bits on an element that only this item uses, so that its
// result is determined. It declares a variable for the result.
func (g *generator) atomic() {
	position, kind, name := "ownLongs[i]", "i64", "Int64"
	if g.one(2) {
		position, kind, name = "ownWords[i]", "u64", "Uint64"
	}
	v := g.name("v")
	switch x := g.expression(kind, 2); g.r.IntN(8) {
	case 0:
		g.line("%s := atomic.Add%s(&%s, %s)", v, name, position, x)
	case 1:
		g.line("%s := atomic.Swap%s(&%s, %s)", v, name, position, x)
	case 2:
		g.line("%s := atomic.Load%s(&%s)", v, name, position)
	case 3:
		g.line("%s := %s", v, x)
		g.line("atomic.Store%s(&%s, %s)", name, position, v)
	case 4:
		g.line("%s := atomic.Load%s(&%s)", v, name, position)
		g.line("if atomic.CompareAndSwap%s(&%s, pick(%s, %s, %s), %s) {", name, position, g.expression("bool", 1), v, g.expression(kind, 1), x)
		g.line("\t%s++", v)
		g.line("}")
	default:
		g.line("%s := gpu.Atomic%s(&%s, %s)", v, g.oneOf("Min", "Max", "Xor"), position, x)
	}
	g.line("_ = %s", v)
	g.scope = append(g.scope, variable{v, kind, false})
}
