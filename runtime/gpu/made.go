// What nobody made: nil, and the zero values of types that have a maker. Everything that is called
// on one, or is given one, says so in an error.

package gpu

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/abi"
)

// unmadeError is the error about one. It wraps ErrClosed: the one is as good as the other.
type unmadeError struct{ what, maker string }

func unmade(what, maker string) error { return &unmadeError{what, maker} }

func (e *unmadeError) Error() string { return e.what + ": it is nil or none that " + e.maker + " made" }
func (e *unmadeError) Unwrap() error { return ErrClosed }

func (d *Device) made() bool    { return d != nil && d.driver != nil }
func (k *Kernel) made() bool    { return k != nil && k.device != nil }
func (a *Args) made() bool      { return a != nil && a.kernel != nil }
func (s *Stream) made() bool    { return s != nil && s.device != nil }
func (e *Event) made() bool     { return e != nil && e.device != nil }
func (t *Texture) made() bool   { return t != nil && t.device != nil }
func (s *Sampler) made() bool   { return s != nil && s.device != nil }
func (b *Buffer[T]) made() bool { return b != nil && b.allocation != nil }

// What makes things that can be used.
const (
	deviceMaker  = "Open"
	kernelMaker  = "Device.Load"
	argsMaker    = "Kernel.Args"
	streamMaker  = "Device.NewStream"
	eventMaker   = "Stream.Record"
	bufferMaker  = "Alloc or Upload"
	textureMaker = "Device.NewTexture"
	samplerMaker = "Device.NewSampler"
)

// checkArtefact refuses what is no artefact.
func checkArtefact(a *abi.Artefact) error {
	if a == nil {
		return fmt.Errorf("load a kernel: %w: the artefact is nil; abi.Load reads one", ErrShape)
	}
	return nil
}
