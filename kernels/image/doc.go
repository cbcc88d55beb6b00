// Package image filters, resizes, warps and converts images on a device.
//
//	photo, err := image.UploadGo[uint8](ctx, stream, decoded)  // any image of Go's package image
//	small, err := image.New[uint8](stream, 640, 480, photo.Channels)
//	err = image.Resize(stream, small, photo, image.Lanczos3, true)
//	err = image.GaussianBlur(stream, blurred, small, 1.5, image.Mirror)
//	err = image.ReadGo(ctx, stream, result, blurred)           // an *image.RGBA, for example
//
// # Images
//
// An [Image] is a part of a buffer: rows of pixels with one to four interleaved channels of uint8,
// uint16 or float32. [Image.Sub] returns a part of an image without a copy.
//
// Functions enqueue their work on a stream and return. They check sizes before they launch
// anything: what does not fit is a [gpu.ShapeError]. An image without pixels is allowed, and
// nothing happens. Destination and source are in different buffers.
//
// Filters treat all channels alike, alpha too. So colours should be premultiplied by alpha, as
// those of Go's RGBA are, wherever pixels are mixed: [Resize], blurs, filters and warps. The
// conversions of colours keep alpha and expect colours that are not premultiplied, as those of
// Go's NRGBA are.
//
// # Numbers
//
// Kernels compute in float32, without fused operations, and in an order that depends on sizes
// alone. All devices return the same bits. Samples of 8 and 16 bits are rounded to the nearest
// integer, the even one of two, and clamped. Those of float32 have any range. Where a function
// needs one it is from 0 to 1, and 0 to 255 or 65535 of integers.
//
// Rows that begin at a multiple of four bytes are written faster than others. Those of [New] do.
// Images have at most 65535 rows and columns.
package image

//go:generate go tool gpuc gen -target spirv,ptx,cpu -math=strict .
