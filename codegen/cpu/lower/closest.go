package lower

// PostDominator returns the position of the first block that all lanes come to which end a block
// together, or the count of blocks if they only come together at the end.
func (w *Flow) PostDominator(position int) int { return int(w.closest[position]) }
