// Package termimage shows images in terminals that can: kitty's protocol, iTerm2's, and sixel. A
// terminal is recognised by environment variables, since asking it would mean to wait for an
// answer.
package termimage

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
)

// Protocol is a protocol for images in terminals.
type Protocol uint8

// The protocols.
const (
	None Protocol = iota
	Kitty
	ITerm
	Sixel
)

// Detect returns the protocol of a terminal with these environment variables.
func Detect(variable func(name string) string) Protocol {
	term, program := variable("TERM"), variable("TERM_PROGRAM")
	switch {
	case term == "dumb" || variable("TMUX") != "" || strings.HasPrefix(term, "screen"):
		return None
	case term == "xterm-kitty" || variable("KITTY_WINDOW_ID") != "" || term == "xterm-ghostty" || program == "ghostty":
		return Kitty
	case program == "iTerm.app" || program == "WezTerm":
		return ITerm
	case strings.Contains(term, "sixel") || term == "mlterm" || term == "foot" || strings.HasPrefix(term, "foot-") || term == "contour":
		return Sixel
	}
	return None
}

// Thumbnail scales an image down to at most the given number of pixels in each direction, by a box
// filter.
func Thumbnail(m image.Image, most int) *image.NRGBA {
	from := m.Bounds()
	w, h := from.Dx(), from.Dy()
	width, height := w, h
	if longer := max(w, h); longer > most {
		width, height = max(w*most/longer, 1), max(h*most/longer, 1)
	}
	small := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var sum [4]uint64
			count := uint64(0)
			for v := y * h / height; v < (y+1)*h/height; v++ {
				for u := x * w / width; u < (x+1)*w/width; u++ {
					c := color.NRGBAModel.Convert(m.At(from.Min.X+u, from.Min.Y+v)).(color.NRGBA)
					for n, part := range [4]uint8{c.R, c.G, c.B, c.A} {
						sum[n] += uint64(part)
					}
					count++
				}
			}
			var mean [4]uint8
			for n := range mean {
				mean[n] = uint8((sum[n] + count/2) / count)
			}
			small.SetNRGBA(x, y, color.NRGBA{R: mean[0], G: mean[1], B: mean[2], A: mean[3]})
		}
	}
	return small
}

// Write writes an image for a terminal with the protocol.
func Write(w io.Writer, protocol Protocol, m *image.NRGBA) {
	if protocol == Sixel {
		writeSixel(w, m)
		return
	}
	var file bytes.Buffer
	if png.Encode(&file, m) != nil {
		return // an image in memory has no errors
	}
	data := base64.StdEncoding.EncodeToString(file.Bytes())
	if protocol == ITerm { // iTerm2, "Inline Images Protocol"
		fmt.Fprintf(w, "\033]1337;File=inline=1;size=%d;width=%dpx;height=%dpx:%s\a\n", file.Len(), m.Rect.Dx(), m.Rect.Dy(), data)
		return
	}
	const chunk = 4096 // kitty, "Terminal graphics protocol", "Remote client"
	for first := true; len(data) > 0; first = false {
		part := data[:min(chunk, len(data))]
		data = data[len(part):]
		control := ""
		if first {
			control = "a=T,f=100,"
		}
		more := 0
		if len(data) > 0 {
			more = 1
		}
		fmt.Fprintf(w, "\033_G%sm=%d;%s\033\\", control, more, part)
	}
	fmt.Fprintln(w)
}

// sixelLevels is the number of values of each colour channel. The cube of it fits into the 256
// colours of terminals.
const sixelLevels = 6

// writeSixel writes an image in bands of six rows, one colour after the other (DEC STD 070, "Sixel
// Graphics"). Pixels that are more than half transparent are left out.
func writeSixel(w io.Writer, m *image.NRGBA) {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	var b bytes.Buffer
	fmt.Fprintf(&b, "\033P0;1q\"1;1;%d;%d", width, height)
	for n := range sixelLevels * sixelLevels * sixelLevels {
		fmt.Fprintf(&b, "#%d;2;%d;%d;%d", n, n/36*20, n/6%6*20, n%6*20)
	}
	level := func(x uint8) int { return (int(x)*(sixelLevels-1) + 127) / 255 }
	bits := make([][]byte, sixelLevels*sixelLevels*sixelLevels)
	for top := 0; top < height; top += 6 {
		clear(bits)
		for y := top; y < min(top+6, height); y++ {
			for x := range width {
				c := m.NRGBAAt(x, y)
				if c.A < 128 {
					continue
				}
				n := level(c.R)*36 + level(c.G)*6 + level(c.B)
				if bits[n] == nil {
					bits[n] = make([]byte, width)
				}
				bits[n][x] |= 1 << (y - top)
			}
		}
		for n, row := range bits {
			if row == nil {
				continue
			}
			fmt.Fprintf(&b, "#%d", n)
			for x := 0; x < width; {
				run := x
				for run < width && row[run] == row[x] {
					run++
				}
				if run-x > 3 {
					fmt.Fprintf(&b, "!%d%c", run-x, '?'+row[x])
				} else {
					b.Write(bytes.Repeat([]byte{'?' + row[x]}, run-x))
				}
				x = run
			}
			b.WriteByte('$')
		}
		b.WriteByte('-')
	}
	b.WriteString("\033\\\n")
	_, _ = w.Write(b.Bytes()) // the image is written to a file, too
}
