package jit

func (s *selector) assembleARM64(code []byte) ([]byte, int, error) { return s.translate(code) }
