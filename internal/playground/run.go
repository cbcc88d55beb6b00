package playground

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Launch are the options to run a kernel.
type Launch struct {
	Entry string `json:"entry"`
	// Device is cpu or cpu:checked.
	Device string `json:"device"`
	// Grid is the number of workgroups.
	Grid [3]uint32 `json:"grid"`
	// Sizes are the sizes of textures, by handle. Those of samplers are ignored.
	Sizes [][3]uint32 `json:"sizes"`
}

// Ran is the result of a launch.
type Ran struct {
	// Problem is the error of the launch, or "".
	Problem string `json:"problem,omitempty"`
	// Diagnostics are those of the checked device, of an assertion that failed, or of the compiler.
	Diagnostics []diag.Form `json:"diagnostics,omitempty"`
	Messages    string      `json:"messages,omitempty"` // what the kernel printed
	// Formats are the formats of written textures, by handle; "" for others and for samplers.
	Formats []string `json:"formats"`
}

// Run runs a kernel. Data has the bytes of its buffers, and then by handle the images for its
// textures; an empty image is all zeros. The results have the same order, with texels for textures,
// and nil for what the kernel does not write.
func Run(ctx context.Context, r *Request, data [][]byte) (*Ran, [][]byte) {
	out := &Ran{Formats: []string{}}
	results, err := run(ctx, r, data, out)
	var report *cpu.Report
	var fault *gpu.KernelError
	var wrong *jit.CompileError
	switch {
	case err == nil:
	case errors.As(err, &report):
		out.Diagnostics = inUnits(diag.AppendForms(nil, report.Sources, report.Diagnostics), r.Source)
		if report.Failed() {
			out.Problem = rendered(report.Sources, report.Diagnostics)
		}
	case errors.As(err, &wrong):
		out.Diagnostics = inUnits(diag.AppendForms(nil, wrong.Sources, wrong.Diagnostics), r.Source)
		out.Problem = err.Error()
	case errors.As(err, &fault):
		set := new(source.Set)
		list := []diag.Diagnostic{{Code: diag.AssertionFailed, Message: fault.Message()}}
		if file, failed := set.Add(FileName, r.Source); failed == nil {
			list[0].Span = spanOf(fault, file)
		}
		out.Diagnostics = inUnits(diag.AppendForms(nil, set, list), r.Source)
		out.Problem = rendered(set, list)
	default:
		out.Problem = err.Error()
	}
	return out, results
}

// spanOf returns the span of an assertion that failed.
func spanOf(f *gpu.KernelError, file *source.File) source.Span {
	start, column := file.LineStart(f.Line), 1
	if start == 0 {
		return source.Span{}
	}
	for offset := range file.Line(f.Line) { // columns count code points
		if column == f.Column {
			start += source.Pos(offset)
			break
		}
		column++
	}
	return source.Span{Start: start, End: start + source.Pos(f.Length)}
}

// run runs a kernel, and sets the messages and formats of out.
func run(ctx context.Context, r *Request, data [][]byte, out *Ran) ([][]byte, error) {
	if r.Device != "cpu" && r.Device != "cpu:checked" {
		return nil, fmt.Errorf("there is no device `%s` here; it is cpu or cpu:checked", r.Device)
	}
	program, err := jit.Parse(FileName, r.Source, r.options())
	if err != nil {
		return nil, err
	}
	device, err := gpu.Open(gpu.Named(r.Device))
	if err != nil {
		return nil, err
	}
	defer device.Close()
	device.SetMessages(gpu.MessageOptions{Handle: func(m gpu.Messages) { out.Messages += m.String() }})
	kernel, err := program.Load(device, r.Entry, r.settings(program.Module())...)
	if err != nil {
		return nil, err
	}
	l := launching{ctx: ctx, device: device, kernel: kernel, described: kernel.Describe(), arguments: kernel.Args()}
	if l.stream, err = device.NewStream(); err != nil {
		return nil, err
	}
	defer l.stream.Close()
	if want := len(l.described.Arguments()) + len(l.described.Handles); len(data) != want || len(r.Sizes) != len(l.described.Handles) {
		return nil, fmt.Errorf("`%s` takes %d buffers, textures and samplers, and got %d", r.Entry, want, len(data))
	}
	if err := l.upload(r, data); err != nil {
		return nil, err
	}
	if err := l.stream.Launch(l.arguments, gpu.Grid{X: r.Grid[0], Y: r.Grid[1], Z: r.Grid[2]}); err != nil {
		return nil, err
	}
	waited := l.stream.Wait(ctx)
	results, err := l.read(data, out)
	if waited != nil {
		err = waited
	}
	return results, err
}

// launching is a launch.
type launching struct {
	ctx       context.Context
	device    *gpu.Device
	stream    *gpu.Stream
	kernel    *gpu.Kernel
	described *abi.Kernel
	arguments *gpu.Args
	buffers   []*gpu.Buffer[byte]
	textures  []*gpu.Texture // nil for samplers
}

// upload copies data to the device. It is released with the device.
func (l *launching) upload(r *Request, data [][]byte) error {
	for n, b := range l.described.Arguments() {
		if uint64(len(data[n])) < b.MinimumBytes() {
			return fmt.Errorf("`%s` takes at least %d bytes, and has %d", b.Name, b.MinimumBytes(), len(data[n]))
		}
		buffer, err := gpu.Upload(l.ctx, l.device, data[n])
		if err == nil {
			err = l.arguments.Set(n, buffer)
		}
		if err != nil {
			return fmt.Errorf("`%s`: %w", b.Name, err)
		}
		l.buffers = append(l.buffers, buffer)
	}
	if err := l.arguments.SetImmediates(make([]byte, l.described.ValueBytes())); err != nil {
		return err
	}
	for n := range l.described.Handles {
		if err := l.handle(n, r.Sizes[n], data[len(l.buffers)+n]); err != nil {
			return err
		}
	}
	return nil
}

// handle makes texture or sampler n.
func (l *launching) handle(n int, size [3]uint32, picture []byte) error {
	h := &l.described.Handles[n]
	if h.Texture == nil {
		l.textures = append(l.textures, nil)
		how := texture.Smooth
		if h.Comparison {
			how.Compare = texture.Less
		}
		s, err := l.device.NewSampler(how)
		if err != nil {
			return err
		}
		return l.arguments.SetSampler(n, s)
	}
	d, err := textureDescription(h, size)
	if err != nil {
		return err
	}
	t, err := l.device.NewTexture(d)
	if err != nil {
		return fmt.Errorf("`%s`: %w", h.Name, err)
	}
	l.textures = append(l.textures, t)
	if d.Samples == 1 && len(picture) > 0 {
		bytes := d.LevelBytes(0)
		if bytes > math.MaxInt32 {
			return fmt.Errorf("`%s` is too large", h.Name)
		}
		if err := t.Write(0, Texels(d.Format, int(bytes)/d.Format.Bytes(), picture)); err != nil {
			return err
		}
	}
	return l.arguments.SetTexture(n, t, 0)
}

// read reads the variables that the kernel may write.
func (l *launching) read(data [][]byte, out *Ran) ([][]byte, error) {
	results := make([][]byte, len(data))
	for n, b := range l.described.Arguments() {
		if b.Access != abi.ReadWrite {
			continue
		}
		results[n] = make([]byte, len(data[n]))
		if err := l.buffers[n].Read(l.ctx, l.stream, results[n]); err != nil {
			return nil, err
		}
	}
	for n, t := range l.textures {
		format := ""
		if h := &l.described.Handles[n]; t != nil && h.Texture.Access != abi.Read {
			var err error
			if results[len(l.buffers)+n], err = t.Read(0); err != nil {
				return nil, err
			}
			format = h.Texture.Format.String()
		}
		out.Formats = append(out.Formats, format)
	}
	return results, nil
}
