package structure

// Steps returns the counted steps of the last call.
func (s *Structurer) Steps() int { return s.steps }
