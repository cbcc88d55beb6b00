package image

import (
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Histogram counts the samples of src by channel, in 256 bins. These are equal parts of the range
// of the type, or of 0 to 1. Count c·256 + n is that of bin n of channel c, and counts has 256
// elements for each channel. Float samples beyond the range are in the first or last bin, and NaN
// is in the first.
func Histogram[T Sample](s *gpu.Stream, counts *gpu.Buffer[uint32], src Image[T]) error {
	const o operation = "Histogram"
	if err := check(o, "src", src); err != nil {
		return err
	}
	if err := o.count("counts", counts.Len(), Bins*src.Channels); err != nil {
		return err
	}
	if !src.empty() {
		if err := s.Usable(src.Buffer); err != nil { // before counts are cleared
			return err
		}
	}
	return counted(s, counts, src)
}

func counted[T Sample](s *gpu.Stream, counts *gpu.Buffer[uint32], src Image[T]) error {
	var w words
	if err := ofClearCounts.launch(s, 0, grid(counts.Len(), 1), &w, counts); err != nil || src.empty() {
		return err
	}
	w.views(src.view())
	g := grid((src.Width*src.Channels+perWord[T]()-1)/perWord[T](), (src.Height+countRows-1)/countRows)
	return ofCountBins.launch(s, kindOf[T](), g, &w, src.Buffer, counts)
}

// Equalize spreads the samples of each channel of src over all values, so that the part of them
// that is below a value is about the value. It is round(255·(n - m)/(all - m)), where n samples
// are not above the value, and m have the least one. That is the formula of OpenCV. Dst and src
// have the same sizes. It takes 2 KiB of the stream's memory for each channel.
func Equalize(s *gpu.Stream, dst, src Image[uint8]) error {
	return byTable(s, "Equalize", dst, src, func(counts, table *gpu.Buffer[uint32]) error {
		g, w := gpu.D1(uint32(src.Channels)), words{}
		if err := ofPrefix.launch(s, 0, g, &w, counts); err != nil {
			return err
		}
		return ofEqualizing.launch(s, 0, g, &w, counts, table)
	})
}

// Otsu makes the samples of dst 255 where those of src are above a level, and 0 where not. The
// level of each channel is the one that separates the dark from the bright samples best by Otsu's
// measure. Dst and src have the same sizes. It takes memory as Equalize does.
func Otsu(s *gpu.Stream, dst, src Image[uint8]) error {
	return byTable(s, "Otsu", dst, src, func(counts, table *gpu.Buffer[uint32]) error {
		return ofOtsu.launch(s, 0, gpu.D1(uint32(src.Channels)), &words{}, counts, table)
	})
}

// byTable looks samples up in a table that is made of their histogram.
func byTable(s *gpu.Stream, o operation, dst, src Image[uint8], tabulate func(counts, table *gpu.Buffer[uint32]) error) error {
	if err := checkEqual(o, dst, src); err != nil || dst.empty() {
		return err
	}
	counts, err := gpu.AllocUninitialized[uint32](s, Bins*src.Channels)
	if err != nil {
		return err
	}
	defer counts.Close()
	table, err := gpu.AllocUninitialized[uint32](s, Bins*src.Channels)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := counted(s, counts, src); err != nil {
		return err
	}
	if err := tabulate(counts, table); err != nil {
		return err
	}
	return looked(s, dst, src, table)
}

// Lookup makes each sample of dst what a table has for that of src: element c·256 + v, of 0 to 255,
// for sample v of channel c. Dst and src have the same sizes.
func Lookup(s *gpu.Stream, dst, src Image[uint8], table *gpu.Buffer[uint32]) error {
	const o operation = "Lookup"
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if err := o.count("table", table.Len(), Bins*src.Channels); err != nil || dst.empty() {
		return err
	}
	return looked(s, dst, src, table)
}

func looked(s *gpu.Stream, dst, src Image[uint8], table *gpu.Buffer[uint32]) error {
	var w words
	w.views(dst.view(), src.view())
	return ofLook.launch(s, 0, byRuns(dst), &w, dst.Buffer, src.Buffer, table)
}

// Threshold makes the samples of dst high where those of src are above the level, and low where
// not. Dst and src have the same sizes.
func Threshold[T Sample](s *gpu.Stream, dst, src Image[T], level, low, high T) error {
	if err := checkEqual("Threshold", dst, src); err != nil || dst.empty() {
		return err
	}
	var w words
	w.floats(float32(level), float32(low), float32(high))
	w.views(dst.view(), src.view())
	return ofThreshold.launch(s, kindOf[T](), byRuns(dst), &w, dst.Buffer, src.Buffer)
}
