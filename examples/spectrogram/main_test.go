package main

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestChirp: the brightest pixel of a column is at the frequency of the chirp, and the steady
// tone is where it has to be.
func TestChirp(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	if err := run(&text, gputest.Open(t, gpu.Named(gpu.CPU)), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "spectrogram.png shows 4.00 seconds and 11025 Hz, on ") {
		t.Errorf("it says %q", text.String())
	}
	f, err := os.Open("spectrogram.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	const rate, bins = 22050, frame/2 + 1
	if size := picture.Bounds().Size(); size.X != (4*rate-frame)/hop+1 || size.Y != bins {
		t.Fatalf("the picture has %v pixels", size)
	}
	at := func(column, bin int) uint32 {
		y, _, _, _ := picture.At(column, bins-1-bin).RGBA()
		return y >> 8
	}
	for column := range picture.Bounds().Dx() {
		brightest := 0
		for bin := range bins {
			if at(column, bin) > at(column, brightest) {
				brightest = bin
			}
		}
		middle := (float64(column*hop) + frame/2) / rate
		want := frame * (0.25 - 0.2*math.Cos(math.Pi*middle))
		if math.Abs(float64(brightest)-want) > 12 {
			t.Errorf("column %d is brightest at %d, not at %.0f", column, brightest, want)
		}
		if y := at(column, frame/8); y < 130 {
			t.Errorf("the tone in column %d has the shade %d", column, y)
		}
	}
}

// wave returns a WAV file of 16-bit samples of two channels.
func wave(samples ...int16) []byte {
	var b bytes.Buffer
	data := new(bytes.Buffer)
	_ = binary.Write(data, binary.LittleEndian, samples)
	write := func(name string, values ...any) {
		b.WriteString(name)
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	write("RIFF", uint32(36+data.Len()))
	write("WAVEodd ", uint32(3), [4]byte{})
	write("fmt ", uint32(16), uint16(1), uint16(2), uint32(8000), uint32(32000), uint16(4), uint16(16))
	write("data", uint32(data.Len()))
	b.Write(data.Bytes())
	return b.Bytes()
}

func TestWAV(t *testing.T) {
	s, err := parse(wave(1<<14, 0, -1<<15, -1<<15))
	if err != nil || s.rate != 8000 || len(s.samples) != 2 || s.samples[0] != 0.25 || s.samples[1] != -1 {
		t.Errorf("got %v, %v", s, err)
	}
	whole := wave(1, 2, 3, 4)
	for n := range whole {
		if s, err := parse(whole[:n]); err == nil && len(s.samples) == 2 {
			t.Errorf("%d bytes of %d have all samples", n, len(whole))
		}
	}
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	short := filepath.Join(t.TempDir(), "short.wav")
	if err := os.WriteFile(short, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"a", "b"}, {filepath.Join(t.TempDir(), "missing.wav")}, {short}} {
		if err := run(new(bytes.Buffer), device, arguments); err == nil {
			t.Errorf("%v is no error", arguments)
		}
	}
}
