package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/source"
)

// ReadInput reads the text of a source file, or standard input for "-". A file that is not text is
// refused here with one message, as a parser would report each of its bytes.
func (e *Env) ReadInput(name string) (string, error) {
	e.Reads(name)
	from := e.Stdin
	if name == "-" {
		if err := e.ReadsStdin(); err != nil {
			return "", err
		}
	} else {
		file, err := os.Open(name)
		if err != nil {
			return "", usage.CannotRead(name, err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > source.MaxBytes {
			return "", usage.CannotRead(name, fmt.Errorf("it has %d bytes, and source text is at most %d", info.Size(), source.MaxBytes))
		}
		from = file
	}
	text, err := readText(from)
	if err != nil {
		return "", usage.CannotRead(name, err)
	}
	return text, nil
}

// readText reads text of at most source.MaxBytes.
func readText(from io.Reader) (string, error) {
	r := bufio.NewReader(from)
	begin, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if err := isText(begin); err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(r, source.MaxBytes+1))
	if err == nil && len(data) > source.MaxBytes {
		err = fmt.Errorf("it does not end, and source text is at most %d bytes", source.MaxBytes)
	}
	return string(data), err
}

// isText returns an error that says what a file is whose first bytes are no text. It does not look
// for single invalid bytes: parsers do, and report their positions.
func isText(begin []byte) error {
	zeros := bytes.Count(begin, []byte{0})
	switch {
	case bytes.HasPrefix(begin, []byte{0xFE, 0xFF}), bytes.HasPrefix(begin, []byte{0xFF, 0xFE}), zeros > len(begin)/4 && (begin[0] == 0) != (begin[1] == 0):
		return errors.New("it is text in UTF-16; save it in UTF-8")
	case bytes.HasPrefix(begin, []byte{0x03, 0x02, 0x23, 0x07}), bytes.HasPrefix(begin, []byte("\x7fELF")):
		what := "a program"
		for _, t := range []*codegen.Target{all.Lookup("spirv"), all.Lookup("amdgpu")} {
			if t.Recognise(begin) {
				what = "code for " + string(t.Name)
			}
		}
		return fmt.Errorf("it is %s, and no source; name the WGSL, Go or IR text that it was made of", what)
	case zeros > 4+len(begin)/16:
		return fmt.Errorf("it is no text: %d of its first %d bytes are zero; a source is WGSL, Go or IR text in UTF-8", zeros, len(begin))
	}
	return nil
}
