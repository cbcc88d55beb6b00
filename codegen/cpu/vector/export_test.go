package vector

// Portable makes programs compiled in f call what is in Go.
func Portable(f func()) {
	processors.plain = true
	defer func() { processors.plain = false }()
	f()
}
