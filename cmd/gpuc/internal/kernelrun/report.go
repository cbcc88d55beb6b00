package kernelrun

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/chrometrace"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/kerneldata"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/scalartext"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// runReport is the report of a run: the device, the time, and of each variable that the kernel
// wrote the shape, the first values and a checksum.
type runReport struct {
	device  gpu.Info
	in      *kerneldata.Inputs
	grid    gpu.Grid
	covered string // the texture that determines the grid, or ""
	measured
	results  [][]byte // by variable, as deviceData.results returns them
	wrote    []wroteFile
	messages []gpu.Messages // with -debug
	statistics
	clock     string           // of the times
	counts    *counters.Counts // of a launch, or nil
	uncounted string           // why there are no counts, or ""
	profile   *profile         // with -profile, or nil
}

// wroteFile is a file that was written, and its shape for people.
type wroteFile struct{ file, shape string }

// write writes the files of -out. After an error it goes on, since the run may have taken long.
func (r *runReport) write(outs []kerneldata.Output, t *chrometrace.Trace) error {
	var failures []error
	for _, o := range outs {
		end := t.Span("write", "write "+o.File)
		shape, err := o.Write(r.in, r.results[o.Index])
		end()
		if err == nil {
			r.wrote = append(r.wrote, wroteFile{o.File, shape})
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// shownValues is the number of values shown of a variable.
const shownValues = 6

// print writes the report for people.
func (r *runReport) print(w io.Writer) {
	fmt.Fprintf(w, "device   %s  %s\n", r.device.ID(), r.device.Name)
	k := r.in.Kernel
	fmt.Fprintf(w, "kernel   %s, workgroups of %s, grid of %s", k.Name,
		textfmt.Size(k.Workgroup[0], k.Workgroup[1], k.Workgroup[2]), textfmt.Size(r.grid.X, r.grid.Y, r.grid.Z))
	if r.covered != "" {
		fmt.Fprintf(w, " for the texels of %s", r.covered)
	}
	fmt.Fprintf(w, "\ntime     %s\n", r.timeText())
	switch {
	case r.counts != nil:
		at := ""
		if len(r.times) > 1 {
			at = " at the median"
		}
		fmt.Fprintf(w, "rate     %s\n", ratesText(r.counts, r.median, at))
	case r.uncounted != "":
		fmt.Fprintf(w, "rate     %s\n", r.uncounted)
	}
	if r.profile != nil {
		r.profile.print(w)
	}
	for i, data := range r.results {
		if data == nil {
			continue
		}
		v := r.values(i)
		shape := strconv.Itoa(v.count)
		if v.texture != nil {
			shape = kerneldata.SizeText(v.texture)
		}
		fmt.Fprintf(w, "%-8s %s[%s]", v.name, cmp.Or(v.element, "byte"), shape)
		for n := range min(v.count, shownValues) {
			fmt.Fprintf(w, " %s", v.at(n))
		}
		if v.count > shownValues {
			fmt.Fprint(w, " …")
		}
		fmt.Fprintf(w, "  checksum %016x\n", checksum(data))
	}
	for _, file := range r.wrote {
		fmt.Fprintf(w, "wrote %s, %s\n", file.file, file.shape)
	}
}

// values are the values of a variable.
type values struct {
	name    string
	element string               // a scalar type, a texel format, or "" for bytes
	texture *texture.Description // of a texture, or nil
	count   int
	at      func(n int) string // formats value n
}

// values returns the values of variable i: the scalars of a buffer, or the channels of a texture as
// a kernel reads them. Of a buffer with several scalar types it returns the bytes.
func (r *runReport) values(i int) values {
	data := r.results[i]
	if h := i - len(r.in.Buffers); h >= 0 {
		d := &r.in.Handles[h].Image.Description
		info, size := d.Format.Info(), d.Format.Bytes()
		return values{r.in.Kernel.Handles[h].Name, d.Format.String(), d, len(data) / size * info.Channels, func(n int) string {
			texel := d.Format.Decode(data[n/info.Channels*size:])
			return scalartext.Format(info.Channel, texel[n%info.Channels])
		}}
	}
	b := &r.in.Kernel.Bindings[i]
	k, err := kerneldata.ScalarOf(b)
	if err != nil {
		return values{b.Name, "", nil, len(data), func(n int) string { return strconv.Itoa(int(data[n])) }}
	}
	return values{b.Name, b.Element, nil, len(data) / k.Bytes(), func(n int) string { return scalartext.Format(k, scalartext.Read(k, data, n)) }}
}

// timeText returns the time of a launch, and how it was measured.
func (r *runReport) timeText() string {
	n := len(r.times)
	if n == 1 && !r.repeated {
		return textfmt.Duration(r.median)
	}
	text := fmt.Sprintf("%s fastest, %s median, %s slowest of ", textfmt.Duration(r.fastest), textfmt.Duration(r.median), textfmt.Duration(r.slowest))
	if r.launches == 1 {
		text += fmt.Sprintf("%d launches, each between two readings of %s, after %d more", n, r.clock, r.warmUps)
	} else {
		text += fmt.Sprintf("%d samples, each of %d launches in a row between two readings of %s, after %d more launches", n, r.launches, r.clock, r.warmUps)
	}
	if r.overhead > 0 {
		text += fmt.Sprintf("; less %.2f µs that these take around an empty kernel", float64(r.overhead.Nanoseconds())/1e3)
	}
	if r.hostBound {
		text += "; the host launches no faster, so the kernel may take less"
	}
	return text
}

// checksum returns the 64-bit FNV-1a hash.
func checksum(data []byte) uint64 {
	h := fnv.New64a()
	h.Write(data)
	return h.Sum64()
}

// jsonForm returns the report for -json.
func (r *runReport) jsonForm() any {
	type buffer struct {
		Name     string   `json:"name"`
		Element  string   `json:"element,omitempty"`
		Bytes    int      `json:"bytes"`
		First    []string `json:"first"`
		Checksum string   `json:"checksum"`
	}
	type textureForm struct {
		Name     string         `json:"name"`
		Format   texture.Format `json:"format"`
		Width    uint32         `json:"width"`
		Height   uint32         `json:"height"`
		Depth    uint32         `json:"depth"`
		Layers   uint32         `json:"layers"`
		Bytes    int            `json:"bytes"`
		First    []string       `json:"first"`
		Checksum string         `json:"checksum"`
	}
	type messageForm struct {
		File       string    `json:"file"`
		Line       int       `json:"line"`
		Column     int       `json:"column"`
		Invocation [3]uint32 `json:"invocation"`
		Text       string    `json:"text"`
		Failed     bool      `json:"failed,omitempty"`
	}
	type statisticForm struct {
		Fastest float64 `json:"fastest"`
		Median  float64 `json:"median"`
		P95     float64 `json:"p95"`
		Slowest float64 `json:"slowest"`
		// Launches is the number of launches in a sample. The times are those of one.
		Launches  int    `json:"launches"`
		WarmUps   int    `json:"warmUps"`
		Clock     string `json:"clock"`
		HostBound bool   `json:"hostBound,omitempty"`
		// Overhead is the time of reading the clock, which is not part of the others.
		Overhead float64 `json:"overhead,omitempty"`
	}
	type countForm struct {
		Read          uint64 `json:"bytesRead"` // those of uniform buffers, too
		Uniform       uint64 `json:"uniformBytesRead"`
		Written       uint64 `json:"bytesWritten"`
		Operations    uint64 `json:"operations"`
		Texels        uint64 `json:"texels"`
		TexelsRead    uint64 `json:"texelBytesRead"`
		TexelsWritten uint64 `json:"texelBytesWritten"`
	}
	k := r.in.Kernel
	form := struct {
		Device     string        `json:"device"`
		DeviceName string        `json:"deviceName"`
		Kernel     string        `json:"kernel"`
		Workgroup  [3]uint32     `json:"workgroup"`
		Grid       [3]uint32     `json:"grid"`
		Seconds    []float64     `json:"seconds"`
		Statistics statisticForm `json:"statistics"`
		Counts     *countForm    `json:"counts,omitempty"`
		Profile    *profileForm  `json:"profile,omitempty"`
		Buffers    []buffer      `json:"buffers"`
		Textures   []textureForm `json:"textures,omitempty"`
		Messages   []messageForm `json:"messages,omitempty"`
		Dropped    uint32        `json:"droppedMessages,omitempty"`
		Wrote      []string      `json:"wrote,omitempty"`
	}{Device: r.device.ID(), DeviceName: r.device.Name, Kernel: k.Name, Workgroup: k.Workgroup,
		Grid: [3]uint32{r.grid.X, r.grid.Y, r.grid.Z}, Buffers: []buffer{}}
	for _, m := range r.messages {
		form.Dropped += m.Dropped
		for _, x := range m.List {
			form.Messages = append(form.Messages, messageForm{x.File, x.Line, x.Column, x.Invocation, x.Text, x.Failed})
		}
	}
	for _, file := range r.wrote {
		form.Wrote = append(form.Wrote, file.file)
	}
	form.Statistics = statisticForm{r.fastest.Seconds(), r.median.Seconds(), r.p95.Seconds(), r.slowest.Seconds(), r.launches, r.warmUps, r.clock, r.hostBound, r.overhead.Seconds()}
	if c := r.counts; c != nil {
		form.Counts = &countForm{c.Read + c.Uniform, c.Uniform, c.Written, c.Operations, c.Texels, c.TexelsRead, c.TexelsWritten}
	}
	form.Profile = r.profile.form()
	for _, t := range r.times {
		form.Seconds = append(form.Seconds, t.Seconds())
	}
	for i, data := range r.results {
		if data == nil {
			continue
		}
		v, first := r.values(i), []string{}
		for n := range min(v.count, shownValues) {
			first = append(first, v.at(n))
		}
		sum := fmt.Sprintf("%016x", checksum(data))
		if d := v.texture; d != nil {
			form.Textures = append(form.Textures, textureForm{v.name, d.Format, d.Width, d.Height, d.Depth, d.Layers, len(data), first, sum})
		} else {
			form.Buffers = append(form.Buffers, buffer{v.name, v.element, len(data), first, sum})
		}
	}
	return form
}

// thumbnailSize is the maximum width and height of a thumbnail.
const thumbnailSize = 256

// thumbnails shows the images that were written.
func (r *runReport) thumbnails(e *cli.Env, outs []kerneldata.Output) {
	if e.Images == termimage.None {
		return
	}
	for i := range outs {
		if o := &outs[i]; o.Extension == ".png" && o.Pipe == nil {
			if picture := o.Picture(r.in, r.results[o.Index]); picture != nil {
				termimage.Write(e.Stdout, e.Images, termimage.Thumbnail(picture, thumbnailSize))
			}
		}
	}
}
