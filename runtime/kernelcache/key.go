package kernelcache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Key is the name of an entry: the SHA-256 of all that decides what a driver makes of a kernel.
type Key [sha256.Size]byte

// version is that of the keys and of the form of files. It grows whenever either changes its
// meaning.
const version = 1

// KeyOf returns the key of parts, in their order: which driver it is, in which version, for which
// device, with which options, and the code. Parts with their bounds elsewhere make another key.
func KeyOf(parts ...[]byte) (k Key) {
	h := sha256.New()
	var size [8]byte
	number := func(n int) {
		binary.LittleEndian.PutUint64(size[:], uint64(n))
		h.Write(size[:])
	}
	number(version)
	for _, p := range parts {
		number(len(p))
		h.Write(p)
	}
	h.Sum(k[:0])
	return k
}

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }
