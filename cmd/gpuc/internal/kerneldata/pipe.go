package kerneldata

import (
	"fmt"
	"io"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Stdin is standard input, which one variable, or the source, can be read from.
type Stdin struct {
	E    *cli.Env
	User string // what was read from it, for messages, or ""
}

// read reads all of standard input, or at most a byte more than most. User is what it is read for.
func (p *Stdin) read(user string, most uint64) ([]byte, error) {
	if p.User != "" {
		return nil, usage.Errorf("standard input is read once, and %s and %s take it; give one of them a file", p.User, user)
	}
	if err := p.E.ReadsStdin(); err != nil {
		return nil, err
	}
	p.User = user
	data, err := io.ReadAll(io.LimitReader(p.E.Stdin, int64(most+1)))
	if err != nil {
		return nil, fmt.Errorf("cannot read standard input: %w", err)
	}
	return data, nil
}

// pipeSpec parses a SPEC or FILE that is a pipe: -, -:npy or -:bin. Ok is false for others. The
// extension is "" for -.
func pipeSpec(text string) (extension string, ok bool, err error) {
	if text == "-" {
		return "", true, nil
	}
	format, ok := strings.CutPrefix(text, "-:")
	if ok && format != "npy" && format != "bin" {
		return "", true, usage.Errorf("`%s` has no format that a pipe takes: write -:npy or -:bin", text)
	}
	return "." + format, ok, nil
}

// bindPipe reads the data of a buffer from standard input. Without an extension the first bytes
// tell whether it is a NumPy array or raw bytes.
func (in *Inputs) bindPipe(b *abi.Binding, l *layout, spec, extension string) (Buffer, error) {
	const shown = "standard input"
	d := Buffer{set: true, spec: spec}
	data, err := in.stdin.read("`"+b.Name+"`", in.limit.Left)
	if err == nil {
		err = in.limit.Take(shown, uint64(len(data)), 1)
	}
	if err != nil {
		return d, err
	}
	if extension == "" && strings.HasPrefix(string(data[:min(len(data), len(npy.Magic))]), npy.Magic) {
		extension = ".npy"
	}
	if extension != ".npy" {
		d.Bytes = data
		return d, nil
	}
	a, err := npy.Parse(shown, data)
	if err != nil {
		return d, err
	}
	return d, in.bindArray(&d, a, b, l, shown)
}
