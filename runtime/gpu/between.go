// Copies between devices.

package gpu

import (
	"context"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Path says how CopyBetween copies from one device to another.
type Path uint8

// The paths, in the order of speed.
const (
	SameDevice Path = iota // within a device
	PeerPath               // over a link or the bus, or in memory that the devices share
	DriverPath             // the devices' library copies through memory of the host
	HostPath               // this package copies through memory of the host
)

// String returns a word for people.
func (p Path) String() string {
	if int(p) >= len(pathWords) {
		return fmt.Sprintf("Path(%d)", uint8(p))
	}
	return pathWords[p]
}

var pathWords = [...]string{"within the device", "from device to device", "by the driver, through the host", "through the host"}

// PathTo says how memory is copied to another device. The first call for two devices prepares
// direct copies, as CopyBetween does by itself.
func (d *Device) PathTo(other *Device) (Path, error) {
	if !d.valid() || !other.valid() {
		return HostPath, invalid("device", deviceMaker)
	}
	if err := d.enter(); err != nil {
		return HostPath, err
	}
	defer d.leave()
	if err := other.enter(); err != nil {
		return HostPath, err
	}
	defer other.leave()
	return d.path(other)
}

// path is PathTo inside enter and leave of both devices.
func (d *Device) path(to *Device) (Path, error) {
	if d == to {
		return SameDevice, nil
	}
	peers, ok := d.driver.(driver.Peers)
	if !ok {
		return HostPath, nil
	}
	reach, err := peers.Reach(to.driver)
	return [...]Path{driver.Unreached: HostPath, driver.ThroughHost: DriverPath, driver.Direct: PeerPath}[reach], err
}

// CopyBetween copies src to dst, which may be on another device: after the work so far of both
// streams, and before their later work. To is a stream of dst's device, from one of src's. It
// returns at once, except where PathTo is HostPath: then it waits for from, and the host copies.
// They have the same length, otherwise it is ErrShape, and do not overlap, otherwise it is
// ErrAlias.
func CopyBetween[T any](to *Stream, dst *Buffer[T], from *Stream, src *Buffer[T]) error {
	const what = "copy between devices"
	switch {
	case !to.valid() || !from.valid():
		return invalid(what+": stream", streamMaker)
	case !dst.valid() || !src.valid():
		return invalid(what, bufferMaker)
	}
	if dst.length != src.length {
		return fmt.Errorf("%s: %w: %d elements to %d", what, ErrShape, src.length, dst.length)
	}
	if to == from {
		return Copy(to, dst, src)
	}
	if dst.allocation == src.allocation && overlap(dst.part(), src.part()) {
		return fmt.Errorf("%s: %w", what, ErrAlias)
	}
	if err := enterBoth(to, from); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer to.leave()
	defer from.leave()
	if err := copyBetween(to, dst.allocation, dst.part(), from, src.allocation, src.part(), dst.open() && src.open()); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// enterBoth begins a call on two streams, always in the same order.
func enterBoth(a, b *Stream) error {
	if b.number < a.number {
		a, b = b, a
	}
	if err := a.enter(); err != nil {
		return err
	}
	if err := b.enter(); err != nil {
		a.leave()
		return err
	}
	return nil
}

// copyBetween copies while both streams are entered.
func copyBetween(to *Stream, target *allocation, dst driver.Slice, from *Stream, source *allocation, src driver.Slice, open bool) error {
	for _, s := range []*Stream{to, from} {
		if r := s.recorder.Load(); r != nil {
			return r.refuse(ofDevices)
		}
	}
	if target.device != to.device || source.device != from.device {
		return fmt.Errorf("%w: a buffer belongs to another device than its stream", ErrShape)
	}
	if !open || !target.use() {
		return ErrClosed
	}
	defer func() { _ = target.done() }()
	if !source.use() {
		return ErrClosed
	}
	defer func() { _ = source.done() }()
	target.note(to)
	source.note(from)
	path, err := from.device.path(to.device)
	if err != nil || dst.Bytes == 0 {
		return err
	}
	if peer, ok := from.stream.(driver.PeerStream); ok && path != HostPath {
		return peer.CopyTo(to.stream, dst, src)
	}
	if path == SameDevice {
		return copyInTurn(to, dst, from, src)
	}
	return copyByHost(to, dst, from, src)
}

// copyInTurn copies between two streams of a device.
func copyInTurn(to *Stream, dst driver.Slice, from *Stream, src driver.Slice) error {
	if err := to.follow(from); err != nil {
		return err
	}
	if err := to.stream.Copy(dst, src); err != nil {
		return err
	}
	return from.follow(to)
}

// follow has the stream's later work wait for the work so far of another one of its device.
func (s *Stream) follow(other *Stream) error {
	e, err := other.stream.Record()
	if err != nil {
		return err
	}
	return join(s.await(e), e.Close())
}

// hostPiece is what is copied through the host at once, in bytes. Drivers copy such slices in
// parts, by several goroutines.
const hostPiece = 16 << 20

// hostPieces are reused.
var hostPieces = sync.Pool{New: func() any { return new([hostPiece]byte) }}

// copyByHost reads and writes one piece after another. A write keeps nothing of the piece.
func copyByHost(to *Stream, dst driver.Slice, from *Stream, src driver.Slice) error {
	if err := from.stream.Wait(context.Background()); err != nil {
		return err
	}
	piece := hostPieces.Get().(*[hostPiece]byte)
	defer hostPieces.Put(piece)
	for at := uint64(0); at < dst.Bytes; at += hostPiece {
		n := min(hostPiece, dst.Bytes-at)
		if err := from.stream.Read(piece[:n], driver.Slice{Memory: src.Memory, Offset: src.Offset + at, Bytes: n}); err != nil {
			return err
		}
		if err := to.stream.Write(driver.Slice{Memory: dst.Memory, Offset: dst.Offset + at, Bytes: n}, piece[:n]); err != nil {
			return err
		}
	}
	return nil
}
