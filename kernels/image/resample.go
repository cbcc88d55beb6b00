package image

import "github.com/gpuc/gpuc/runtime/gpu"

// resampledColumns launches resampleColumns for an image that is not empty.
func resampledColumns[T Sample](s *gpu.Stream, r resampling, b border, dst Image[float32], src Image[T], table *gpu.Buffer[float32]) error {
	var w words
	w.resampling(r)
	w.border(b)
	w.views(dst.view(), src.view())
	n := (dst.Width*dst.Channels + perWord[T]() - 1) / perWord[T]()
	return ofResampleColumns.launch(s, kindOf[T](), grid(n, dst.Height), &w, dst.Buffer, src.Buffer, table)
}

// resampledRows launches resampleRows for an image that is not empty.
func resampledRows[T Sample](s *gpu.Stream, r resampling, b border, dst Image[T], src Image[float32], table *gpu.Buffer[float32]) error {
	var w words
	w.resampling(r)
	w.border(b)
	w.views(dst.view(), src.view())
	return ofResampleRows.launch(s, kindOf[T](), grid(dst.Width*dst.Channels, dst.Height), &w, dst.Buffer, src.Buffer, table)
}

func (w *words) resampling(r resampling) {
	w.ints(r.Taps, r.Before, r.Skip)
	w.flag(r.Table)
}
