package kerneldata

import (
	"fmt"
	"io"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is `-` for data of gpuc run: one array from standard input, and one to standard output.

// Stdin is standard input, which one user reads.
type Stdin struct {
	E    *cli.Env
	User string // who has it, or ""
}

// read reads all that comes, up to a number of bytes and one more, for a user that messages name.
func (p *Stdin) read(user string, most uint64) ([]byte, error) {
	switch {
	case p.User != "":
		return nil, usage.Errorf("standard input is read once, and %s and %s take it; give one of them a file", p.User, user)
	case p.E.Watching:
		p.E.Unwatchable = true
		return nil, usage.Errorf("-watch waits for files to change, and standard input is none")
	}
	p.User = user
	data, err := io.ReadAll(io.LimitReader(p.E.Stdin, int64(most+1)))
	if err != nil {
		return nil, fmt.Errorf("cannot read standard input: %w", err)
	}
	return data, nil
}

// pipeSpec reads `-`, `-:npy` and `-:bin`, in a place where a file can stand too: ok says that it
// is one of them, and the extension is "" where no format is named.
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

// bindPipe gives a buffer what comes from standard input: a NumPy array, or raw bytes, which what
// it begins with tells apart where the format is not named.
func (in *Inputs) bindPipe(b *abi.Binding, l *layout, spec, extension string, r *memlimit.Limit) (Buffer, error) {
	const shown = "standard input"
	d := Buffer{set: true, spec: spec}
	data, err := in.stdin.read("`"+b.Name+"`", r.Left)
	if err == nil {
		err = r.Take(shown, uint64(len(data)), 1)
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
