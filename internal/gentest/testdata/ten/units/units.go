// Package units has what kernels of another package use.
package units

// Metres is a length.
type Metres float32

// Box is a box.
type Box struct {
	Low, High [3]Metres
	Level     int
}

// Inside says whether a place along an axis is in the box.
func (b Box) Inside(axis int, at Metres) bool { return b.Low[axis] <= at && at <= b.High[axis] }
