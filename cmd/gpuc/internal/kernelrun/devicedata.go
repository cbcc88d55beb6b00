package kernelrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/chrometrace"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/imagefile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/kerneldata"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// deviceData is the data of a kernel's variables on the device.
type deviceData struct {
	in       *kerneldata.Inputs
	kernel   *gpu.Kernel
	stream   *gpu.Stream
	buffers  []*gpu.Buffer[byte]
	textures []*gpu.Texture // nil for samplers
	samplers []*gpu.Sampler
}

// upload copies the inputs to the device and sets them as arguments. The result must be closed,
// after an error too.
func upload(ctx context.Context, in *kerneldata.Inputs, device *gpu.Device, stream *gpu.Stream, kernel *gpu.Kernel, arguments *gpu.Args, t *chrometrace.Trace) (*deviceData, error) {
	r := &deviceData{in: in, kernel: kernel, stream: stream}
	for i := range in.Buffers {
		end := t.Span("upload", "upload "+in.Name(i))
		buffer, err := gpu.Upload(ctx, device, in.Buffers[i].Bytes)
		end()
		if err != nil {
			return r, fmt.Errorf("binding %s: %w", in.Kernel.Bindings[i].Name, err)
		}
		r.buffers = append(r.buffers, buffer)
		if err := arguments.Set(i, buffer); err != nil {
			return r, err
		}
	}
	if err := arguments.SetImmediates(in.Immediates); err != nil {
		return r, err
	}
	for i := range in.Handles {
		end := t.Span("upload", "upload "+in.Name(len(in.Buffers)+i))
		err := r.handle(device, arguments, i)
		end()
		if err != nil {
			return r, fmt.Errorf("binding %s: %w", in.Kernel.Handles[i].Name, err)
		}
	}
	return r, nil
}

// handle makes texture or sampler i.
func (r *deviceData) handle(device *gpu.Device, arguments *gpu.Args, i int) error {
	b := &r.in.Handles[i]
	if b.Image == nil {
		r.textures = append(r.textures, nil)
		sampler, err := device.NewSampler(b.Sampler)
		if err != nil {
			return err
		}
		r.samplers = append(r.samplers, sampler)
		return arguments.SetSampler(i, sampler)
	}
	t, err := device.NewTexture(b.Image.Description)
	if errors.Is(err, gpu.ErrUnsupported) && !b.Chosen && !r.in.Kernel.Handles[i].Texture.Shape.IsStorage() {
		if instead := imagefile.CommonFormat(b.Image.Format); instead != texture.NoFormat {
			b.Image = imagefile.Reformat(b.Image, instead)
			t, err = device.NewTexture(b.Image.Description)
		}
	}
	if errors.Is(err, gpu.ErrUnsupported) {
		return fmt.Errorf("%w; -device cpu takes all textures", err)
	}
	if err != nil {
		return err
	}
	r.textures = append(r.textures, t)
	if err := r.write(i); err != nil {
		return err
	}
	return arguments.SetTexture(i, t, 0)
}

// argumentsWith returns arguments with other buffers. A nil in others keeps the buffer.
func (r *deviceData) argumentsWith(others []*gpu.Buffer[byte]) (*gpu.Args, error) {
	arguments := r.kernel.Args()
	for i, b := range r.buffers {
		if others[i] != nil {
			b = others[i]
		}
		if err := arguments.Set(i, b); err != nil {
			return nil, err
		}
	}
	if err := arguments.SetImmediates(r.in.Immediates); err != nil {
		return nil, err
	}
	samplers := r.samplers
	for i, t := range r.textures {
		err := error(nil)
		if t != nil {
			err = arguments.SetTexture(i, t, 0)
		} else {
			err, samplers = arguments.SetSampler(i, samplers[0]), samplers[1:]
		}
		if err != nil {
			return nil, err
		}
	}
	return arguments, nil
}

// write copies all levels of texture i to the device.
func (r *deviceData) write(i int) error {
	m := r.in.Handles[i].Image
	for level := range m.Levels {
		if err := r.stream.WriteTexture(r.textures[i], level, m.Level(level)); err != nil {
			return err
		}
	}
	return nil
}

// reset restores the contents of the buffers, and of the textures that the kernel writes.
func (r *deviceData) reset() error {
	for i, b := range r.buffers {
		if err := b.Write(r.stream, r.in.Buffers[i].Bytes); err != nil {
			return err
		}
	}
	for i := range r.textures {
		if r.in.Written(len(r.buffers) + i) {
			if err := r.write(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// results reads the variables that the kernel may write, by variable; of textures level 0. Other
// variables are nil.
func (r *deviceData) results(ctx context.Context, t *chrometrace.Trace) ([][]byte, error) {
	results := make([][]byte, len(r.buffers)+len(r.textures))
	for i := range results {
		if !r.in.Written(i) {
			continue
		}
		end := t.Span("read", "read "+r.in.Name(i))
		if h := i - len(r.buffers); h >= 0 {
			results[i] = make([]byte, r.in.Handles[h].Image.LevelBytes(0))
			if err := r.stream.ReadTexture(results[i], r.textures[h], 0); err != nil {
				return nil, err
			}
			end()
			continue
		}
		results[i] = make([]byte, len(r.in.Buffers[i].Bytes))
		if err := r.buffers[i].Read(ctx, r.stream, results[i]); err != nil {
			return nil, err
		}
		end()
	}
	return results, nil
}

// close releases the data.
func (r *deviceData) close() {
	for _, b := range r.buffers {
		b.Close()
	}
	for _, t := range r.textures {
		if t != nil {
			t.Close()
		}
	}
	for _, s := range r.samplers {
		s.Close()
	}
}
