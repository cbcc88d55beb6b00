package ptx_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestFragmentsOnDevices runs the kernels of TestFragments on devices.
func TestFragmentsOnDevices(t *testing.T) {
	devices := devicetest.Devices(t, abi.PTX)
	for _, product := range fragmentProducts {
		target, err := ptx.Target.With(profileOf(&product))
		if err != nil {
			t.Fatal(err)
		}
		for n := range fragmentCaseCount {
			c, _ := fragmentCase(product, n)
			text, sizes := c.Text()
			want := c.Interpreted(t, text, c.Fill(sizes))
			m, _, _ := ir.ParseString(text)
			a := codegen.Compile(m, "", target, nil, new(diag.List))
			for _, device := range devices {
				got := c.Fill(sizes)
				if err := runBuffers(device, a, got); err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				for k := range got {
					if !bytes.Equal(got[k], want[k]) {
						t.Fatalf("%+v: buffer %d is\n%x, want\n%x", c, k, got[k], want[k])
					}
				}
			}
		}
	}
}

// runBuffers runs a kernel of one workgroup on buffers, which it changes.
func runBuffers(device *gpu.Device, a *abi.Artefact, buffers [][]byte) error {
	k, err := device.Load(a)
	if err != nil {
		return fmt.Errorf("loading: %w", err)
	}
	defer k.Close()
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	var arguments []gpu.Bound
	var uploaded []*gpu.Buffer[byte]
	for _, data := range buffers {
		b, err := gpu.Upload(context.Background(), device, data)
		if err != nil {
			return err
		}
		defer b.Close()
		uploaded, arguments = append(uploaded, b), append(arguments, b)
	}
	if err := stream.Run(k, gpu.D1(1), arguments...); err != nil {
		return err
	}
	for n, b := range uploaded {
		if err := b.Read(context.Background(), stream, buffers[n]); err != nil {
			return err
		}
	}
	return nil
}
