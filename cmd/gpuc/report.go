package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"time"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// runReport is what gpuc run shows: the device, the time, and each written
// buffer's shape, first values and checksum.
type runReport struct {
	device  gpu.Info
	kernel  *abi.Kernel
	grid    gpu.Grid
	times   []time.Duration // sorted
	results [][]byte        // nil for buffers that are only read
}

// shownValues is how many of a buffer's values are shown.
const shownValues = 6

func (r *runReport) print(w io.Writer) {
	fmt.Fprintf(w, "device   %s  %s\n", r.device.ID(), r.device.Name)
	k := r.kernel
	fmt.Fprintf(w, "kernel   %s, workgroups of %s, grid of %s\n", k.Name,
		dimensions(k.Workgroup[0], k.Workgroup[1], k.Workgroup[2]), dimensions(r.grid.X, r.grid.Y, r.grid.Z))
	fmt.Fprintf(w, "time     %s", duration(r.times[0]))
	if n := len(r.times); n > 1 {
		fmt.Fprintf(w, " fastest, %s median of %d", duration(r.times[n/2]), n)
	}
	fmt.Fprintln(w)
	for i, data := range r.results {
		if data == nil {
			continue
		}
		b := &k.Bindings[i]
		element, count := b.Element, 0
		if kind, err := kindOf(b); err == nil {
			count = len(data) / kind.Bytes()
		} else {
			element, count = "byte", len(data)
		}
		fmt.Fprintf(w, "%-8s %s[%d]", b.Name, element, count)
		for n := range min(count, shownValues) {
			fmt.Fprintf(w, " %s", r.value(i, n))
		}
		if count > shownValues {
			fmt.Fprint(w, " …")
		}
		fmt.Fprintf(w, "  checksum %016x\n", checksum(data))
	}
}

// value formats value n of result i.
func (r *runReport) value(i, n int) string {
	k, err := kindOf(&r.kernel.Bindings[i])
	if err != nil {
		return strconv.Itoa(int(r.results[i][n]))
	}
	bits := readBits(k, r.results[i], n)
	switch {
	case k.IsFloat():
		return strconv.FormatFloat(scalar.ToFloat64(k, bits), 'g', 6, 64)
	case k == scalar.U64:
		return strconv.FormatUint(bits, 10)
	}
	return strconv.FormatInt(scalar.ToInt64(k, bits), 10)
}

func dimensions(x, y, z uint32) string {
	s := strconv.FormatUint(uint64(x), 10)
	if y > 1 || z > 1 {
		s += "×" + strconv.FormatUint(uint64(y), 10)
	}
	if z > 1 {
		s += "×" + strconv.FormatUint(uint64(z), 10)
	}
	return s
}

func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3f ms", float64(d.Nanoseconds())/1e6)
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// checksum is 64-bit FNV-1a.
func checksum(data []byte) uint64 {
	h := fnv.New64a()
	h.Write(data)
	return h.Sum64()
}

func (r *runReport) jsonForm() any {
	type buffer struct {
		Name     string   `json:"name"`
		Element  string   `json:"element,omitempty"`
		Bytes    int      `json:"bytes"`
		First    []string `json:"first"`
		Checksum string   `json:"checksum"`
	}
	form := struct {
		Device     string    `json:"device"`
		DeviceName string    `json:"deviceName"`
		Kernel     string    `json:"kernel"`
		Workgroup  [3]uint32 `json:"workgroup"`
		Grid       [3]uint32 `json:"grid"`
		Seconds    []float64 `json:"seconds"`
		Buffers    []buffer  `json:"buffers"`
	}{Device: r.device.ID(), DeviceName: r.device.Name, Kernel: r.kernel.Name, Workgroup: r.kernel.Workgroup,
		Grid: [3]uint32{r.grid.X, r.grid.Y, r.grid.Z}}
	for _, t := range r.times {
		form.Seconds = append(form.Seconds, t.Seconds())
	}
	for i, data := range r.results {
		if data == nil {
			continue
		}
		b := &r.kernel.Bindings[i]
		out := buffer{b.Name, b.Element, len(data), []string{}, fmt.Sprintf("%016x", checksum(data))}
		count := len(data)
		if kind, err := kindOf(b); err == nil {
			count /= kind.Bytes()
		}
		for n := range min(count, shownValues) {
			out.First = append(out.First, r.value(i, n))
		}
		form.Buffers = append(form.Buffers, out)
	}
	return form
}
