// Spectrogram draws the frequencies of a sound over time, on a GPU, or on the processor if there
// is none:
//
//	go run ./examples/spectrogram
//	go run ./examples/spectrogram voice.wav
//
// and writes spectrogram.png. Time goes to the right, frequency upwards to half the sampling
// rate, and bright is loud: 80 dB from black to white. Without a sound (a WAV file of 16-bit
// samples) it makes a chirp, whose frequency rises and falls, with a steady tone.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log"
	"math"
	"math/cmplx"
	"os"

	"github.com/gpuc/gpuc/kernels/signal"
	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	frame    = 1024
	hop      = frame / 4
	decibels = 80
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := run(os.Stdout, device, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run draws the sound that the argument names, or its own.
func run(w io.Writer, device *gpu.Device, arguments []string) error {
	var s sound
	switch len(arguments) {
	case 0:
		s = chirp(22050, 4)
	case 1:
		text, err := os.ReadFile(arguments[0])
		if err != nil {
			return err
		}
		if s, err = parse(text); err != nil {
			return fmt.Errorf("%s: %w", arguments[0], err)
		}
	default:
		return fmt.Errorf("expected one sound, found %d arguments", len(arguments))
	}
	picture, err := draw(device, s)
	if err != nil {
		return err
	}
	f, err := os.Create("spectrogram.png")
	if err != nil {
		return err
	}
	if err := errors.Join(png.Encode(f, picture), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(w, "spectrogram.png shows %.2f seconds and %d Hz, on %s\n", float64(len(s.samples))/float64(s.rate), s.rate/2, device.Info().Name)
	return nil
}

// sound is samples of one channel, rate a second.
type sound struct {
	rate    int
	samples []float32
}

// chirp is a tone that rises and falls twice, and another one that stays at a quarter of its
// range.
func chirp(rate, seconds int) sound {
	s := sound{rate, make([]float32, rate*seconds)}
	phase := 0.0
	for i := range s.samples {
		t := float64(i) / float64(rate)
		frequency := float64(rate) * (0.25 - 0.2*math.Cos(2*math.Pi*t/2))
		phase += 2 * math.Pi * frequency / float64(rate)
		s.samples[i] = float32(0.5*math.Sin(phase) + 0.05*math.Sin(2*math.Pi*float64(rate)/8*t))
	}
	return s
}

// parse reads a WAV file. Channels become their mean.
func parse(file []byte) (s sound, err error) {
	if len(file) < 12 || string(file[:4]) != "RIFF" || string(file[8:12]) != "WAVE" {
		return s, errors.New("no WAV file")
	}
	channels := 0
	for rest := file[12:]; len(rest) >= 8; {
		size := int(binary.LittleEndian.Uint32(rest[4:]))
		chunk := rest[8:min(8+size, len(rest))]
		switch string(rest[:4]) {
		case "fmt ":
			if len(chunk) < 16 {
				return s, errors.New("its format is cut off")
			}
			const pcm = 1
			if format, bits := binary.LittleEndian.Uint16(chunk), binary.LittleEndian.Uint16(chunk[14:]); format != pcm || bits != 16 {
				return s, fmt.Errorf("format %d with %d bits is not supported: convert it to PCM of 16 bits", format, bits)
			}
			channels, s.rate = int(binary.LittleEndian.Uint16(chunk[2:])), int(binary.LittleEndian.Uint32(chunk[4:]))
		case "data":
			if channels == 0 || s.rate == 0 {
				return s, errors.New("it has no format, or one without channels")
			}
			for ; len(chunk) >= 2*channels; chunk = chunk[2*channels:] {
				sum := 0
				for c := range channels {
					sum += int(int16(binary.LittleEndian.Uint16(chunk[2*c:])))
				}
				s.samples = append(s.samples, float32(sum)/float32(channels)/(1<<15))
			}
			return s, nil
		}
		rest = rest[min(8+size+size%2, len(rest)):]
	}
	return s, errors.New("it has no samples")
}

// draw returns a picture with a column for each frame and a row for each frequency.
func draw(device *gpu.Device, s sound) (*image.Gray, error) {
	ctx := context.Background()
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	plan, err := signal.PlanSTFT[float32, complex64](stream, len(s.samples), 1, signal.Periodic(signal.Hann, frame), hop)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	if plan.Frames() == 0 {
		return nil, fmt.Errorf("%d samples are too few: a frame has %d", len(s.samples), frame)
	}
	samples, err1 := gpu.Upload(ctx, device, s.samples)
	spectra, err2 := gpu.Alloc[complex64](stream, plan.Frames()*plan.Bins())
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	defer samples.Close()
	defer spectra.Close()
	host := make([]complex64, spectra.Len())
	if err := errors.Join(plan.Forward(samples, spectra), spectra.Read(ctx, stream, host)); err != nil {
		return nil, err
	}
	picture := image.NewGray(image.Rect(0, 0, plan.Frames(), plan.Bins()))
	for i, v := range host {
		// a sine of amplitude 1 has a quarter of the frame's length under this window
		level := 20 * math.Log10(cmplx.Abs(complex128(v))/(frame/4)+1e-12)
		shade := min(max(1+level/decibels, 0), 1)
		picture.SetGray(i/plan.Bins(), plan.Bins()-1-i%plan.Bins(), color.Gray{Y: uint8(math.Round(255 * shade))})
	}
	return picture, nil
}
