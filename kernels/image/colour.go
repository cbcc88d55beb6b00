package image

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// The conversions of colours take images with three channels, or four of which the last one is
// alpha. A source with one channel is gray, and one with two gray and alpha. Alpha is kept; an
// image without it is opaque. Colours are not premultiplied by alpha. Dst and src have the same
// width and height.
//
// Samples are fractions of the full intensity: of 255, 65535 or 1.

// Luma are the weights of red, green and blue in a gray.
type Luma struct{ Red, Green, Blue float32 }

// The weights of ITU-R recommendations.
var (
	BT601  = Luma{0.299, 0.587, 0.114}
	BT709  = Luma{0.2126, 0.7152, 0.0722}
	BT2020 = Luma{0.2627, 0.6780, 0.0593}
)

// ToGray makes dst, of one channel or two, the weighted sums of red, green and blue as they are
// stored. [BT601] is what Pillow and OpenCV take.
func ToGray[T Sample](s *gpu.Stream, dst, src Image[T], l Luma) error {
	return mixed(s, "ToGray", dst, src, 1, &matrix{{l.Red, l.Green, l.Blue, 0}})
}

// FromGray makes dst, of three channels or four, the gray of src, of one or two.
func FromGray[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	const o operation = "FromGray"
	if src.Channels > 2 {
		return o.wrong("src", "1 or 2 channels", fmt.Sprint(src.Channels))
	}
	return mixed(s, o, dst, src, 3, &matrix{{1}, {0, 1}, {0, 0, 1}})
}

// MixChannels makes each of the three channels of dst a sum of the three of src. A row has the
// factors of a channel, and as the fourth number a summand, in fractions of the full intensity.
func MixChannels[T Sample](s *gpu.Stream, dst, src Image[T], factors [3][4]float32) error {
	for i := range factors {
		factors[i][3] *= fullOf[T]()
	}
	return mixed(s, "MixChannels", dst, src, 3, (*matrix)(&factors))
}

// ToYCbCr makes dst luma, blue difference and red difference of red, green and blue. With limited
// they are from 16 to 235 and 240 of 255, as video has them, otherwise from 0 to 255, as JPEG does.
// Differences of 0 are 128 of 255.
func ToYCbCr[T Sample](s *gpu.Stream, dst, src Image[T], l Luma, limited bool) error {
	const o operation = "ToYCbCr"
	forward, _, err := ycbcr(o, l, limited, float64(fullOf[T]()))
	if err != nil {
		return err
	}
	return mixed(s, o, dst, src, 3, &forward)
}

// FromYCbCr is the inverse of ToYCbCr.
func FromYCbCr[T Sample](s *gpu.Stream, dst, src Image[T], l Luma, limited bool) error {
	const o operation = "FromYCbCr"
	_, inverse, err := ycbcr(o, l, limited, float64(fullOf[T]()))
	if err != nil {
		return err
	}
	return mixed(s, o, dst, src, 3, &inverse)
}

// ycbcr returns the matrices of both directions (ITU-R BT.601-7 §2.5, BT.709-6 §3).
func ycbcr(o operation, l Luma, limited bool, full float64) (forward, inverse matrix, err error) {
	r, g, b := float64(l.Red), float64(l.Green), float64(l.Blue)
	if !(r > 0 && g > 0 && b > 0 && r < 1 && b < 1) {
		return forward, inverse, o.wrong("luma", "weights between 0 and 1", fmt.Sprint(l))
	}
	ofY, ofC, zero := 1.0, 1.0, 0.0
	if limited {
		ofY, ofC, zero = 219.0/255, 224.0/255, 16*full/255
	}
	middle := 128 * full / 255
	cb, cr := ofC/(2*(1-b)), ofC/(2*(1-r))
	rows := [3][4]float64{
		{ofY * r, ofY * g, ofY * b, zero},
		{-cb * r, -cb * g, cb * (1 - b), middle},
		{cr * (1 - r), -cr * g, -cr * b, middle},
	}
	red, blue := 1/cr, 1/cb
	back := [3][4]float64{
		{1 / ofY, 0, red},
		{1 / ofY, -b * blue / g, -r * red / g},
		{1 / ofY, blue, 0},
	}
	for i := range rows {
		back[i][3] = -back[i][0]*zero - (back[i][1]+back[i][2])*middle
		for j := range rows[i] {
			forward[i][j], inverse[i][j] = float32(rows[i][j]), float32(back[i][j])
		}
	}
	return forward, inverse, nil
}

// ToHSV makes dst hue, saturation and value of red, green and blue. A hue of the full circle is the
// full intensity.
func ToHSV[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "ToHSV", dst, src, toHSV)
}

// FromHSV is the inverse of ToHSV.
func FromHSV[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "FromHSV", dst, src, fromHSV)
}

// ToHSL makes dst hue, saturation and lightness of red, green and blue, as ToHSV does.
func ToHSL[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "ToHSL", dst, src, toHSL)
}

// FromHSL is the inverse of ToHSL.
func FromHSL[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "FromHSL", dst, src, fromHSL)
}

// ToLinear makes dst the intensities of light of sRGB colours (IEC 61966-2-1). In 8 bits most dark
// tones are lost: convert to uint16 or float32 first.
func ToLinear[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "ToLinear", dst, src, toLinear)
}

// FromLinear is the inverse of ToLinear.
func FromLinear[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "FromLinear", dst, src, fromLinear)
}

// ToLab makes dst CIE L*a*b* of sRGB colours, for the white of D65. Of float32 L* is from 0 to
// 100, and a* and b* are as they are. Of integers L* of 100 is the full intensity, and a* and b*
// are multiplied by 1 or 257 and moved by 128 or 32896, as in OpenCV.
func ToLab[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "ToLab", dst, src, toLab)
}

// FromLab is the inverse of ToLab.
func FromLab[T Sample](s *gpu.Stream, dst, src Image[T]) error {
	return converts(s, "FromLab", dst, src, fromLab)
}

// mixed multiplies by a matrix. Dst has so many channels, or one more for alpha.
func mixed[T Sample](s *gpu.Stream, o operation, dst, src Image[T], channels int, m *matrix) error {
	var w words
	for i := range m {
		w.floats(m[i][:]...)
	}
	return recoloured(s, o, dst, src, channels, &ofMix, &ofMixWords, &w)
}

// converts launches the kernel of the other conversions, of three channels.
func converts[T Sample](s *gpu.Stream, o operation, dst, src Image[T], to conversion) error {
	var w words
	w.ints(int(to))
	return recoloured(s, o, dst, src, 3, &ofConversion, &ofConversionWords, &w)
}

// recoloured launches one of two kernels, the second for whole words.
func recoloured[T Sample](s *gpu.Stream, o operation, dst, src Image[T], channels int, k, ofWords *kernel, w *words) error {
	if err := checkColours(o, dst, src, channels); err != nil || dst.empty() {
		return err
	}
	w.views(dst.view(), src.view())
	if kind := kindOf[T](); kind != 0 || (dst.Offset|dst.Stride|src.Offset|src.Stride)&3 != 0 {
		return k.launch(s, kind, grid(dst.Width, dst.Height), w, dst.Buffer, src.Buffer)
	}
	return ofWords.launch(s, 0, grid((dst.Width+3)/4, dst.Height), w, dst.Buffer, src.Buffer)
}

func checkColours[T Sample](o operation, dst, src Image[T], channels int) error {
	if err := checkBoth(o, dst, src); err != nil {
		return err
	}
	if dst.Width != src.Width || dst.Height != src.Height {
		return o.wrong("dst", fmt.Sprintf("%d × %d, as src has", src.Width, src.Height), fmt.Sprintf("%d × %d", dst.Width, dst.Height))
	}
	if dst.Channels != channels && dst.Channels != channels+1 {
		return o.wrong("dst", fmt.Sprintf("%d or %d channels", channels, channels+1), fmt.Sprint(dst.Channels))
	}
	return nil
}
