package misusetest

import (
	"context"
	goimage "image"

	"github.com/gpuc/gpuc/kernels/image"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// picture is a buffer as an image of 4 × 3 pixels.
func picture[T image.Sample](b *gpu.Buffer[T], channels int) image.Image[T] {
	return image.Image[T]{Buffer: b, Width: 4, Height: 3, Channels: channels, Stride: 4 * channels}
}

// filter is a row of a function of two images of one type, a result and a source.
func filter[T image.Sample](name string, channels, of int, f func(s *gpu.Stream, dst, src image.Image[T]) error) row {
	return row{name: "image." + name, call: func(k *kit) error {
		return f(k.s, picture(out[T](k, 12*channels), channels), picture(in[T](k, 12*of), of))
	}}
}

func imageRows() []row {
	type f = float32
	type m = image.Image[uint8]
	border := image.Mirror
	return []row{
		filter("Convert", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Convert(s, dst, src, 1) }),
		filter("ConvertLinear", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.ConvertLinear(s, dst, src, 1, 2) }),
		{name: "image.Combine", call: func(k *kit) error {
			return image.Combine(k.s, picture(out[uint8](k, 36), 3), picture(in[uint8](k, 36), 3), picture(in[uint8](k, 36), 3), 1, -1, 0)
		}},
		filter("Resize", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Resize(s, dst, src, image.Lanczos3, true) }),
		{name: "image.ResizeBy", call: func(k *kit) error {
			p, err := image.PlanResize(context.Background(), k.good.Device(), 4, 3, 4, 3, image.Bicubic, true)
			return planned(p, err, func() error {
				return image.ResizeBy(k.s, p, picture(out[uint8](k, 36), 3), picture(in[uint8](k, 36), 3))
			})
		}},
		filter("GaussianBlur", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.GaussianBlur(s, dst, src, 1, border) }),
		filter("GaussianBlur of many pixels", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.GaussianBlur(s, dst, src, 20, border) }),
		filter("BoxBlur", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.BoxBlur(s, dst, src, 1, 2, border) }),
		filter("SeparableFilter", 3, 3, func(s *gpu.Stream, dst, src m) error {
			return image.SeparableFilter(s, dst, src, []float32{1, 2, 1}, []float32{1}, border)
		}),
		filter("Filter2D", 3, 3, func(s *gpu.Stream, dst, src m) error {
			return image.Filter2D(s, dst, src, make([]float32, 15), 5, border)
		}),
		filter("Median", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Median(s, dst, src, 1, border) }),
		filter("Percentile", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Percentile(s, dst, src, 2, 0.3, border) }),
		filter("Bilateral", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Bilateral(s, dst, src, 1, 1, 1, border) }),
		filter("Laplacian", 3, 3, func(s *gpu.Stream, dst, src image.Image[f]) error { return image.Laplacian(s, dst, src, border) }),
		{name: "image.Sobel", call: func(k *kit) error {
			return image.Sobel(k.s, picture(out[f](k, 36), 3), picture(out[f](k, 36), 3), picture(in[f](k, 36), 3), border)
		}},
		{name: "image.Scharr", call: func(k *kit) error {
			return image.Scharr(k.s, picture(out[f](k, 36), 3), picture(out[f](k, 36), 3), picture(in[f](k, 36), 3), border)
		}},
		{name: "image.Magnitude", call: func(k *kit) error {
			return image.Magnitude(k.s, picture(out[f](k, 36), 3), picture(in[f](k, 36), 3), picture(in[f](k, 36), 3), false)
		}},
		filter("Canny", 1, 1, func(s *gpu.Stream, dst, src m) error { return image.Canny(s, dst, src, 1, 2, true) }),
		filter("Erode", 3, 3, func(s *gpu.Stream, dst, src m) error {
			return image.Erode(s, dst, src, image.Rectangle(3, 3), border)
		}),
		filter("Dilate", 3, 3, func(s *gpu.Stream, dst, src m) error {
			return image.Dilate(s, dst, src, image.Rectangle(5, 5), border)
		}),
		filter("Open", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Open(s, dst, src, image.Cross(3, 3), border) }),
		filter("CloseGaps", 3, 3, func(s *gpu.Stream, dst, src m) error {
			return image.CloseGaps(s, dst, src, image.Ellipse(3, 3), border)
		}),
		filter("Warp", 3, 3, func(s *gpu.Stream, dst, src m) error {
			return image.Warp(s, dst, src, image.Rotation(1, 1, 2, 2), image.Bilinear, border)
		}),
		{name: "image.Remap", call: func(k *kit) error {
			return image.Remap(k.s, picture(out[f](k, 36), 3), picture(in[f](k, 36), 3), picture(in[f](k, 24), 2), image.Bicubic, border)
		}},
		filter("ToGray", 1, 3, func(s *gpu.Stream, dst, src m) error { return image.ToGray(s, dst, src, image.BT601) }),
		filter("FromGray", 3, 1, image.FromGray[uint8]),
		filter("ToYCbCr", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.ToYCbCr(s, dst, src, image.BT601, false) }),
		filter("FromYCbCr", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.FromYCbCr(s, dst, src, image.BT601, false) }),
		filter("ToHSV", 3, 3, image.ToHSV[uint8]),
		filter("FromHSV", 3, 3, image.FromHSV[uint8]),
		filter("ToHSL", 3, 3, image.ToHSL[uint8]),
		filter("FromHSL", 3, 3, image.FromHSL[uint8]),
		filter("ToLinear", 3, 3, image.ToLinear[uint8]),
		filter("FromLinear", 3, 3, image.FromLinear[uint8]),
		filter("ToLab", 3, 3, image.ToLab[uint8]),
		filter("FromLab", 3, 3, image.FromLab[uint8]),
		filter("MixChannels", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.MixChannels(s, dst, src, [3][4]float32{}) }),
		filter("Equalize", 3, 3, image.Equalize),
		filter("EqualizeRegions", 1, 1, func(s *gpu.Stream, dst, src m) error { return image.EqualizeRegions(s, dst, src, 2, 2, 2) }),
		filter("Otsu", 3, 3, image.Otsu),
		filter("Threshold", 3, 3, func(s *gpu.Stream, dst, src m) error { return image.Threshold(s, dst, src, 1, 2, 3) }),
		{name: "image.Histogram", call: func(k *kit) error {
			return image.Histogram(k.s, out[uint32](k, 3*image.Bins), picture(in[uint8](k, 36), 3))
		}},
		{name: "image.Lookup", call: func(k *kit) error {
			return image.Lookup(k.s, picture(out[uint8](k, 36), 3), picture(in[uint8](k, 36), 3), in[uint32](k, 3*image.Bins))
		}},
		{name: "image.Upload", call: func(k *kit) error {
			_, err := image.Upload(context.Background(), k.s, 4, 3, 1, make([]uint8, 12))
			return err
		}},
		{name: "image.UploadGo", call: func(k *kit) error {
			_, err := image.UploadGo[uint8](context.Background(), k.s, goimage.NewGray(goimage.Rect(0, 0, 4, 3)))
			return err
		}},
		{name: "image.Read", call: func(k *kit) error {
			return picture(in[uint8](k, 36), 3).Read(context.Background(), k.s, make([]uint8, 36))
		}},
		{name: "image.ReadGo", call: func(k *kit) error {
			return image.ReadGo(context.Background(), k.s, goimage.NewNRGBA(goimage.Rect(0, 0, 4, 3)), picture(in[uint8](k, 48), 4))
		}},
		{name: "image.Write", call: func(k *kit) error { return picture(out[uint8](k, 36), 3).Write(k.s, make([]uint8, 36)) }},
	}
}
