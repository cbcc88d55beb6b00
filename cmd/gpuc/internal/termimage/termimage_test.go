package termimage

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDetect recognises terminals by their environment variables.
func TestDetect(t *testing.T) {
	for variables, want := range map[string]Protocol{
		"TERM=xterm-256color": None, "": None, "TERM=dumb KITTY_WINDOW_ID=1": None, "TERM=xterm-kitty TMUX=/tmp/x": None, "TERM=screen": None,
		"TERM=xterm-kitty": Kitty, "TERM=xterm KITTY_WINDOW_ID=3": Kitty, "TERM=xterm-ghostty": Kitty,
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app": ITerm, "TERM_PROGRAM=WezTerm": ITerm,
		"TERM=foot": Sixel, "TERM=mlterm": Sixel, "TERM=xterm-sixel": Sixel, "TERM=footnote": None,
	} {
		got := Detect(func(name string) string {
			for _, v := range strings.Fields(variables) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		})
		if got != want {
			t.Errorf("%q: got %d, want %d", variables, got, want)
		}
	}
}

// stripes returns an image with a left half and a right half.
func stripes(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{R: 255, A: 255}
			if x >= width/2 {
				c = color.NRGBA{G: 102, B: 204, A: 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// TestThumbnail: thumbnails keep the proportions, and pixels are rounded means.
func TestThumbnail(t *testing.T) {
	for _, test := range []struct{ width, height, wantWidth, wantHeight int }{{8, 4, 8, 4}, {512, 256, 256, 128}, {3000, 2, 256, 1}, {1, 1, 1, 1}, {300, 299, 256, 255}} {
		m := Thumbnail(stripes(test.width, test.height), 256)
		if m.Rect.Dx() != test.wantWidth || m.Rect.Dy() != test.wantHeight {
			t.Errorf("%dx%d becomes %v", test.width, test.height, m.Rect)
		}
	}
	four := image.NewGray(image.Rect(5, 5, 7, 7))
	four.Pix = []uint8{0, 10, 20, 32}
	// 15.5, rounded up
	if got := Thumbnail(four, 1).NRGBAAt(0, 0); got != (color.NRGBA{16, 16, 16, 255}) {
		t.Errorf("the mean is %v", got)
	}
}

// TestWrite reads the output for each protocol.
func TestWrite(t *testing.T) {
	m := stripes(40, 13)
	noise := image.NewNRGBA(image.Rect(0, 0, 100, 100)) // more than a chunk
	seed := uint64(1)
	for n := range noise.Pix {
		seed = seed*6364136223846793005 + 1442695040888963407
		noise.Pix[n] = byte(seed >> 56)
	}
	for _, m := range []*image.NRGBA{m, noise} {
		var out bytes.Buffer
		Write(&out, Kitty, m)
		data := ""
		parts := regexp.MustCompile("\033_G([^;]*);([^\033]*)\033\\\\").FindAllStringSubmatch(out.String(), -1)
		for n, part := range parts {
			data += part[2]
			want := "m=1"
			if n == len(parts)-1 {
				want = "m=0"
			}
			if n == 0 {
				want = "a=T,f=100," + want
			}
			if part[1] != want || len(part[2]) > 4096 {
				t.Errorf("part %d is %s with %d bytes, want %s", n, part[1], len(part[2]), want)
			}
		}
		samePicture(t, data, m)

		out.Reset()
		Write(&out, ITerm, m)
		parts = regexp.MustCompile("^\033]1337;File=inline=1;size=(\\d+);width=(\\d+)px;height=(\\d+)px:(.*)\a\n$").FindAllStringSubmatch(out.String(), -1)
		if len(parts) != 1 || parts[0][2] != strconv.Itoa(m.Rect.Dx()) || parts[0][3] != strconv.Itoa(m.Rect.Dy()) {
			t.Fatalf("%q", out.String())
		}
		samePicture(t, parts[0][4], m)
	}

	var out bytes.Buffer
	Write(&out, Sixel, m)
	got := readSixel(t, out.String())
	for y := range 13 {
		for x := range 40 {
			if got[[2]int{x, y}] != m.NRGBAAt(x, y) {
				t.Fatalf("the pixel at %d, %d is %v, want %v", x, y, got[[2]int{x, y}], m.NRGBAAt(x, y))
			}
		}
	}
	if len(got) != 40*13 {
		t.Errorf("there are %d pixels", len(got))
	}
}

// samePicture compares a PNG file in base64 with an image.
func samePicture(t *testing.T, data string, want *image.NRGBA) {
	t.Helper()
	file, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil || got.Bounds() != want.Rect {
		t.Fatalf("%v: %v", err, got)
	}
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			if color.NRGBAModel.Convert(got.At(x, y)) != want.At(x, y) {
				t.Fatalf("the pixel at %d, %d differs", x, y)
			}
		}
	}
}

// readSixel returns the pixels of sixel data (DEC STD 070).
func readSixel(t *testing.T, data string) map[[2]int]color.NRGBA {
	data, found := strings.CutPrefix(data, "\033P0;1q")
	data, ended := strings.CutSuffix(data, "\033\\\n")
	if !found || !ended {
		t.Fatalf("%q", data)
	}
	pixels, palette := map[[2]int]color.NRGBA{}, map[int]color.NRGBA{}
	x, top, colour := 0, 0, 0
	for data != "" {
		c := data[0]
		data = data[1:]
		var numbers []int
		if c == '#' || c == '!' || c == '"' {
			length := strings.IndexFunc(data, func(r rune) bool { return (r < '0' || r > '9') && r != ';' })
			for _, part := range strings.Split(data[:length], ";") {
				n, err := strconv.Atoi(part)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, n)
			}
			data = data[length:]
		}
		run := 1
		switch {
		case c == '"':
			if fmt.Sprint(numbers) != "[1 1 40 13]" {
				t.Errorf("the size is %v", numbers)
			}
			continue
		case c == '#' && len(numbers) == 5:
			part := func(n int) uint8 { return uint8((numbers[n]*255 + 50) / 100) }
			palette[numbers[0]] = color.NRGBA{part(2), part(3), part(4), 255}
			continue
		case c == '#':
			colour = numbers[0]
			continue
		case c == '$':
			x = 0
			continue
		case c == '-':
			x, top = 0, top+6
			continue
		case c == '!':
			run, c, data = numbers[0], data[0], data[1:]
		}
		for range run {
			for bit := range 6 {
				if (c-'?')>>bit&1 == 1 {
					pixels[[2]int{x, top + bit}] = palette[colour]
				}
			}
			x++
		}
	}
	return pixels
}
