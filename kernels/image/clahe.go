package image

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// EqualizeRegions spreads the samples of src over all values, as Equalize does, but for each of
// columns by rows regions, 1 to 64. Between the middles of regions it interpolates. So contrast is
// that of the surroundings: contrast-limited adaptive histogram equalisation (Zuiderveld, Graphics
// Gems IV, 1994), as in OpenCV.
//
// No bin of a region's histogram counts more than limit times the mean, which is above 0. Both
// images have one channel and the same sizes. It takes 1 KiB of the stream's memory for each
// region.
func EqualizeRegions(s *gpu.Stream, dst, src Image[uint8], columns, rows int, limit float64) error {
	const o operation = "EqualizeRegions"
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if src.Channels != 1 {
		return o.wrong("src", "1 channel", fmt.Sprint(src.Channels))
	}
	if err := o.between("columns", columns, 1, 64); err != nil {
		return err
	}
	if err := o.between("rows", rows, 1, 64); err != nil {
		return err
	}
	if !(limit > 0) {
		return o.wrong("limit", "a number above 0", formatted(limit))
	}
	if dst.empty() {
		return nil
	}
	width, height := (src.Width+columns-1)/columns, (src.Height+rows-1)/rows
	most := min(max(limit*float64(width)*float64(height)/Bins, 1), maxSamples)
	tables, err := gpu.AllocUninitialized[uint32](s, columns*rows*Bins)
	if err != nil {
		return err
	}
	defer tables.Close()
	var w, v words
	w.ints(width, height, columns, rows, int(most))
	v = w
	w.views(src.view())
	if err := ofEqualizeRegions.launch(s, 0, gpu.D2(uint32(columns), uint32(rows)), &w, src.Buffer, tables); err != nil {
		return err
	}
	v.views(dst.view(), src.view())
	return ofBlendRegions.launch(s, 0, byRuns(dst), &v, dst.Buffer, src.Buffer, tables)
}
