package kernelcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

// The file of an entry, with numbers in little-endian order:
//
//	 0  8 bytes   magic
//	 8  4 bytes   version
//	12  4 bytes   size of the label
//	16  8 bytes   size of the code
//	24  32 bytes  key
//	56  32 bytes  SHA-256 of all other bytes
//	88            label: driver, device and kernel, with a zero between them, and zeros behind
//	              code, at a multiple of 64 bytes, as binaries want to be aligned
const (
	magic      = "gpuc\r\n\x1ak"
	checksumAt = 56
	labelAt    = checksumAt + sha256.Size
	alignment  = 64
	labelLimit = 4096
)

// The names of files: an entry's is its key with this extension, one that is being written begins
// with this word. Other files are not the cache's.
const (
	extension = ".kernel"
	temporary = "new-"
)

// Label says for people what an entry is.
type Label struct {
	Driver string // its name, as "cuda"
	Device string // as the driver reports it
	Kernel string // its entry point
}

// entry is what a file holds.
type entry struct {
	key   Key
	label Label
	code  []byte
}

// errDamaged is the error of a file that is not what was stored.
var errDamaged = errors.New("a damaged file")

// encode returns the text of an entry's file.
func encode(key Key, label Label, code []byte) []byte {
	parts := []string{label.Driver, label.Device, label.Kernel}
	for n := range parts {
		parts[n] = strings.ReplaceAll(parts[n], "\x00", "")
		parts[n] = parts[n][:min(len(parts[n]), labelLimit/4)]
	}
	words := strings.Join(parts, "\x00")
	start := (labelAt + len(words) + alignment - 1) / alignment * alignment
	text := make([]byte, start+len(code))
	copy(text, magic)
	binary.LittleEndian.PutUint32(text[8:], version)
	binary.LittleEndian.PutUint32(text[12:], uint32(start-labelAt))
	binary.LittleEndian.PutUint64(text[16:], uint64(len(code)))
	copy(text[24:], key[:])
	copy(text[labelAt:], words)
	copy(text[start:], code)
	sum := checksum(text)
	copy(text[checksumAt:], sum[:])
	return text
}

// checksum returns the SHA-256 of a file without that of the checksum itself.
func checksum(text []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write(text[:checksumAt])
	h.Write(text[labelAt:])
	h.Sum(sum[:0])
	return sum
}

// decode reads the text of a file, which the code shares. The error is errDamaged.
func decode(text []byte) (e entry, err error) {
	if len(text) < labelAt || string(text[:len(magic)]) != magic || binary.LittleEndian.Uint32(text[8:]) != version {
		return e, errDamaged
	}
	label, code := binary.LittleEndian.Uint32(text[12:]), binary.LittleEndian.Uint64(text[16:])
	if label > labelLimit || uint64(len(text)) != labelAt+uint64(label)+code {
		return e, errDamaged
	}
	if sum := checksum(text); !bytes.Equal(sum[:], text[checksumAt:labelAt]) {
		return e, errDamaged
	}
	copy(e.key[:], text[24:])
	start := labelAt + int(label)
	parts := strings.Split(strings.TrimRight(string(text[labelAt:start]), "\x00"), "\x00")
	for n, to := range []*string{&e.label.Driver, &e.label.Device, &e.label.Kernel} {
		if n < len(parts) {
			*to = parts[n]
		}
	}
	e.code = text[start:]
	return e, nil
}

// largest is the size in bytes from which on a file is not read: more than any kernel has.
const largest = 1 << 30

// readEntry reads a file, and returns when it was last used. The error is errDamaged or one of the
// system's.
func readEntry(path string) (e entry, used time.Time, err error) {
	f, err := os.Open(path)
	if err != nil {
		return e, used, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return e, used, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest || checkOwner(info) != nil {
		return e, used, errDamaged
	}
	text := make([]byte, info.Size())
	if _, err := io.ReadFull(f, text); err != nil {
		return e, used, errDamaged // it is shorter now
	}
	e, err = decode(text)
	return e, info.ModTime(), err
}
