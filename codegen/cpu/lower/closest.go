package lower

// PostDominator returns the position of the immediate post-dominator of a block, or the count of
// blocks if lanes only come together at the end.
func (w *Flow) PostDominator(position int) int { return int(w.closest[position]) }
