//go:build !arm64

package jit

// translator makes code for arm64 in tests. Programs for other processors do not have what is
// needed for that, which is a quarter of a megabyte.
var translator func(s *selector, code []byte) ([]byte, int, error)

func (s *selector) assembleARM64(code []byte) ([]byte, int, error) {
	if translator == nil {
		panic(refusal("code for arm64 is made on arm64"))
	}
	return translator(s, code)
}
