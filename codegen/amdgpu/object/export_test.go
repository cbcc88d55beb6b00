package object

// Unpack reads the contents of a note.
func Unpack(note []byte) (any, error) {
	p := packed(note)
	return p.value(0)
}

// HashOf is the hash of a symbol's name.
var HashOf = hashOf
