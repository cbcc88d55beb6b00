// Nil pointers, and zero values of types that a function makes. Every call on one, or with one as
// an argument, returns an error.

package gpu

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/abi"
)

// invalidError is the error about such a value. It wraps ErrClosed: neither can be used.
type invalidError struct{ what, maker string }

func invalid(what, maker string) error { return &invalidError{what, maker} }

func (e *invalidError) Error() string {
	return e.what + ": it is nil or none that " + e.maker + " made"
}
func (e *invalidError) Unwrap() error { return ErrClosed }

func (d *Device) valid() bool        { return d != nil && d.driver != nil }
func (k *Kernel) valid() bool        { return k != nil && k.device != nil }
func (a *Args) valid() bool          { return a != nil && a.kernel != nil }
func (s *Stream) valid() bool        { return s != nil && s.device != nil }
func (a *Arena) valid() bool         { return a != nil && a.stream != nil }
func (e *Event) valid() bool         { return e != nil && e.device != nil }
func (r *Recording) valid() bool     { return r != nil && r.capture != nil }
func (l *Captured) valid() bool      { return l != nil && l.recorder != nil }
func (t *Texture) valid() bool       { return t != nil && t.device != nil }
func (s *Sampler) valid() bool       { return s != nil && s.device != nil }
func (b *Buffer[T]) valid() bool     { return b != nil && b.allocation != nil }
func (t *Transfer) valid() bool      { return t != nil && t.device != nil }
func (h *HostBuffer[T]) valid() bool { return h != nil && h.allocation != nil }
func (g *Group) valid() bool         { return g != nil && len(g.devices) > 0 }

// The functions that make values, for messages.
const (
	deviceMaker     = "Open"
	kernelMaker     = "Device.Load"
	argsMaker       = "Kernel.Args"
	streamMaker     = "Device.NewStream"
	groupMaker      = "OpenAll or NewGroup"
	arenaMaker      = "Stream.NewArena"
	eventMaker      = "Stream.Record"
	recordingMaker  = "Stream.Capture"
	capturedMaker   = "Stream.Captured"
	bufferMaker     = "Alloc or Upload"
	transferMaker   = "Buffer.ReadAsync or WriteAsync"
	hostBufferMaker = "AllocHost"
	textureMaker    = "Device.NewTexture"
	samplerMaker    = "Device.NewSampler"
	profileMaker    = "StartProfile"
)

// checkArtefact refuses nil.
func checkArtefact(a *abi.Artefact) error {
	if a == nil {
		return fmt.Errorf("load a kernel: %w: the artefact is nil; abi.Load reads one", ErrShape)
	}
	return nil
}
