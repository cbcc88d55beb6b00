package explore

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// reader determines the source lines of a target's code. Most targets write lines about the source
// line of the code after them, such as OpLine; read parses them, and the page does not show them.
// The zero reader is for code that is IR.
type reader struct {
	target       abi.Target
	whileWriting bool // the target reports positions while it writes (codegen.Options)
	read         func(r *lineReader, line string)
}

// readers are the readers of the targets.
var readers = [...]reader{
	{target: abi.WGSL, whileWriting: true},
	{target: abi.MSL, whileWriting: true},
	{target: abi.SPIRV, read: readSPIRV},
	{target: abi.PTX, read: readPTX},
	{target: abi.AMDGPU, read: readAMDGPU},
	{target: abi.CPU, read: readListing},
}

// readerOf returns the reader of a target.
func readerOf(t abi.Target) reader {
	for _, r := range readers {
		if r.target == t {
			return r
		}
	}
	return reader{}
}

// lineReader is the state while code is read.
type lineReader struct {
	sources *sources
	files   map[string]string // names of files, by their names or numbers in the code
	line    int               // source line of the next instructions, or 0
	left    bool              // the present line is not shown
}

// says sets the source line of the lines after the present one, which is not shown.
func (r *lineReader) says(file string, line string) {
	n, err := strconv.Atoi(line)
	if err != nil {
		n = 0
	}
	r.line, r.left = r.sources.named(file, n), true
}

// readLines returns code without the lines about source lines, and the source line of each.
func (x *explorer) readLines(text []byte, read func(r *lineReader, line string)) (code []byte, from []int) {
	r := lineReader{sources: &x.sources, files: map[string]string{}}
	for line := range bytes.Lines(text) {
		r.left = false
		read(&r, strings.TrimSuffix(string(line), "\n"))
		if !r.left {
			code, from = append(code, line...), append(from, r.line)
		}
	}
	return code, from
}

// readSPIRV reads OpLine, which is valid until the next one or the end of the block (SPIR-V 1.6,
// 3.3.3).
func readSPIRV(r *lineReader, line string) {
	fields := strings.Fields(line)
	switch {
	case len(fields) == 4 && fields[0] == "OpLine":
		r.says(r.files[fields[1]], fields[2])
	case len(fields) > 0 && fields[0] == "OpNoLine":
		r.line, r.left = 0, true
	case len(fields) > 2 && fields[2] == "OpString":
		_, name, _ := strings.Cut(line, "OpString ")
		r.files[fields[0]] = strings.ReplaceAll(strings.ReplaceAll(strings.Trim(name, `"`), `\"`, `"`), `\\`, `\`)
	case len(fields) > 2 && fields[2] == "OpLabel", len(fields) > 0 && fields[0] == "OpFunctionEnd":
		r.line = 0
	}
}

// readPTX reads .file and .loc (PTX ISA 9.0, 11.5).
func readPTX(r *lineReader, line string) {
	fields := strings.Fields(line)
	switch {
	case len(fields) == 4 && fields[0] == ".loc":
		r.says(r.files[fields[1]], fields[2])
	case len(fields) > 2 && fields[0] == ".file":
		_, name, _ := strings.Cut(line, `"`)
		r.files[fields[1]], r.left = unquoted(`"`+name), true
	case line == "}", strings.HasPrefix(line, ".func"), strings.HasPrefix(line, ".visible"):
		r.line = 0
	}
}

// readAMDGPU reads comments with a file's name and a line.
func readAMDGPU(r *lineReader, line string) {
	if position, ok := strings.CutPrefix(line, "\t; \""); ok {
		if end := strings.LastIndex(position, `" `); end >= 0 {
			r.says(unquoted(`"`+position[:end+1]), position[end+2:])
		}
	} else if line == "}" || strings.HasPrefix(line, "define ") {
		r.line = 0
	}
}

// readListing reads comments with a file's name, a line and its text. Comments without a file's
// name are for code without a source line.
func readListing(r *lineReader, line string) {
	position, ok := strings.CutPrefix(line, "\t\t; ")
	if !ok {
		return
	}
	r.line, r.left = 0, true
	for _, f := range r.sources.files() {
		if rest, ok := strings.CutPrefix(position, f.Name+":"); ok {
			number, _, _ := strings.Cut(rest, ":")
			r.says(f.Name, number)
			return
		}
	}
}

// unquoted returns the text of a quoted string, or "".
func unquoted(text string) string {
	name, err := strconv.Unquote(text)
	if err != nil {
		return ""
	}
	return name
}
