package diag

// Words maps words to their replacements, or to what to say of them. It is no map, since Go builds
// maps when a program starts, and only programs with mistakes look here.
type Words []struct{ Word, Text string }

// Find returns the text of a word; ok is false if there is none.
func (w Words) Find(word string) (text string, ok bool) {
	for n := range w {
		if w[n].Word == word {
			return w[n].Text, true
		}
	}
	return "", false
}
