package abi

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
)

// This file writes and reads zip files (PKWARE, APPNOTE.TXT 6.3.10, section 4.3). Package
// archive/zip would do, but links what compresses: 300 KB in every program that embeds kernels.
// Any tool for zip files reads these files.

// ArchiveMember is a file of an archive.
type ArchiveMember struct {
	Name string
	// Data are the contents of a member that is added to an archive. Archive.Read returns those of
	// an archive that was opened.
	Data string
	// Size is how many bytes the contents have in an archive that was opened.
	Size int

	stored   string // in memory of the archive
	crc      uint32 // of the contents, as the archive says
	deflated bool
}

// The records of a zip file, each with its size without the names in it.
const (
	localHeader, localBytes     = "PK\x03\x04", 30
	centralHeader, centralBytes = "PK\x01\x02", 46
	endRecord, endBytes         = "PK\x05\x06", 22
)

const (
	zipVersion  = 20        // 2.0: Deflate
	zipDeflate  = 8         // the method
	zipUTF8     = 1 << 11   // flag: the name is UTF-8
	zipDate     = 1<<5 | 1  // 1 January 1980, the first one
	zipMaxCount = 1<<16 - 2 // members; more need ZIP64
)

// zipFile returns a zip file with members in their order. Equal members make equal files.
func zipFile(members []ArchiveMember) ([]byte, error) {
	if len(members) > zipMaxCount {
		return nil, fmt.Errorf("an archive holds %d files, and there are %d", zipMaxCount, len(members))
	}
	var file, directory []byte
	d, err := newDeflater()
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		data := m.Data
		if m.stored != "" { // of an archive that was opened
			if data, err = m.contents(); err != nil {
				return nil, err
			}
		}
		stored, method, err := d.deflate(data)
		if err != nil {
			return nil, err
		}
		if len(m.Name) > math.MaxUint16 || len(data) > math.MaxInt32 || len(file)+len(stored) > math.MaxInt32 {
			return nil, errors.New("an archive holds 2 GiB, in files whose names have 64 KiB")
		}
		flags := uint16(0)
		if strings.ContainsFunc(m.Name, func(r rune) bool { return r >= 0x80 }) {
			flags = zipUTF8
		}
		// what both headers have: version to 4.4.11, "extra field length"
		shared := appendAll(nil, uint16(zipVersion), flags, method, uint16(0), uint16(zipDate), crc32.ChecksumIEEE([]byte(data)),
			uint32(len(stored)), uint32(len(data)), uint16(len(m.Name)), uint16(0))
		directory = append(appendAll(append(directory, centralHeader...), uint16(zipVersion)), shared...)
		directory = append(appendAll(directory, uint16(0), uint16(0), uint16(0), uint32(0), uint32(len(file))), m.Name...)
		file = append(append(append(append(file, localHeader...), shared...), m.Name...), stored...)
	}
	start, count := uint32(len(file)), uint16(len(members))
	file = append(append(file, directory...), endRecord...)
	return appendAll(file, uint16(0), uint16(0), count, count, uint32(len(directory)), start, uint16(0)), nil
}

// deflater compresses members.
type deflater struct {
	out bytes.Buffer
	w   *flate.Writer
}

func newDeflater() (*deflater, error) {
	d := new(deflater)
	w, err := flate.NewWriter(&d.out, flate.BestCompression)
	d.w = w
	return d, err
}

// deflate returns how a member is stored, up to the next call, and the method: as it is, if it
// would not be smaller.
func (d *deflater) deflate(data string) (stored []byte, method uint16, err error) {
	d.out.Reset()
	d.w.Reset(&d.out)
	if _, err := io.WriteString(d.w, data); err != nil {
		return nil, 0, err
	}
	if err := d.w.Close(); err != nil {
		return nil, 0, err
	}
	if d.out.Len() >= len(data) {
		return []byte(data), 0, nil
	}
	return d.out.Bytes(), zipDeflate, nil
}

// appendAll appends integers of 16 and 32 bits in the order of bytes of zip files.
func appendAll(to []byte, values ...any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case uint16:
			to = binary.LittleEndian.AppendUint16(to, v)
		case uint32:
			to = binary.LittleEndian.AppendUint32(to, v)
		}
	}
	return to
}

var errDamaged = errors.New("it is damaged, or no zip file")

// zipMembers lists the members of a zip file. It reads the directory only: a member is compared
// with its checksum when it is used.
func zipMembers(file string) ([]ArchiveMember, error) {
	end := len(file) - endBytes
	if end < 0 || file[end:end+4] != endRecord {
		return nil, errDamaged
	}
	count, directory := int(word(file, end+10, 2)), uint64(word(file, end+16, 4))
	members := make([]ArchiveMember, 0, min(count, end/centralBytes))
	at := directory
	for range count {
		if at+centralBytes > uint64(end) || file[at:at+4] != centralHeader {
			return nil, errDamaged
		}
		header := file[at:]
		name, extra, comment := uint64(word(header, 28, 2)), uint64(word(header, 30, 2)), uint64(word(header, 32, 2))
		next := at + centralBytes + name + extra + comment
		if next > uint64(end) {
			return nil, errDamaged
		}
		m := ArchiveMember{Name: header[centralBytes : centralBytes+name], crc: word(header, 16, 4)}
		data, bytes, size := uint64(word(header, 42, 4)), uint64(word(header, 20, 4)), uint64(word(header, 24, 4))
		switch method := word(header, 10, 2); {
		case method == 0 && size == bytes:
		case method == zipDeflate && size <= maxRatio*bytes && size <= math.MaxInt32:
			m.deflated = true
		case method == 0 || method == zipDeflate:
			return nil, errDamaged
		default:
			return nil, fmt.Errorf("its file %s is compressed in a way that gpuc gen does not use", m.Name)
		}
		if data+localBytes > directory || file[data:data+4] != localHeader {
			return nil, errDamaged
		}
		data += localBytes + uint64(word(file[data:], 26, 2)) + uint64(word(file[data:], 28, 2))
		if data+bytes > directory {
			return nil, errDamaged
		}
		m.stored, m.Size = file[data:data+bytes], int(size)
		members = append(members, m)
		at = next
	}
	return members, nil
}

// word reads an unsigned integer of a few bytes, the lowest first.
func word(file string, at, bytes int) (v uint32) {
	for n := range bytes {
		v |= uint32(file[at+n]) << (8 * n)
	}
	return v
}

// maxRatio is how many times smaller Deflate makes a file at most (RFC 1951: 258 bytes by two
// bits).
const maxRatio = 1032

// contents returns the contents, which it compares with their checksum.
func (m *ArchiveMember) contents() (string, error) {
	data := m.stored
	var err error
	if m.deflated {
		data, err = inflate(m.stored, m.Size)
	}
	if err != nil || crc32.ChecksumIEEE([]byte(data)) != m.crc {
		return "", fmt.Errorf("its file %s is damaged", cmp.Or(m.Name, "without a name"))
	}
	return data, nil
}

// inflate returns the contents, of so many bytes, of what was compressed.
func inflate(stored string, size int) (string, error) {
	r := flate.NewReader(strings.NewReader(stored))
	var b strings.Builder
	b.Grow(size)
	if n, err := io.Copy(&b, io.LimitReader(r, int64(size)+1)); err != nil || n != int64(size) {
		return "", errDamaged
	}
	return b.String(), nil
}
