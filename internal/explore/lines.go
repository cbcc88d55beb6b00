package explore

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file finds out which line of the source a line of code comes from. Code says that in lines
// of its own, each good for those behind it, in the form that its language has for it; they are
// left out of what is shown. Targets that print text for people tell it while they write instead.

// reader says how code of a target tells lines. The zero reader is for code that is the IR.
type reader struct {
	target abi.Target
	// placed says that the target tells places while it writes (codegen.Options.Place).
	placed bool
	// read reads one line of code.
	read func(r *lineReader, line string)
}

var readers = [...]reader{
	{target: abi.WGSL, placed: true},
	{target: abi.MSL, placed: true},
	{target: abi.SPIRV, read: readSPIRV},
	{target: abi.PTX, read: readPTX},
	{target: abi.AMDGPU, read: readAMDGPU},
	{target: abi.CPU, read: readListing},
}

func readerOf(t abi.Target) reader {
	for _, r := range readers {
		if r.target == t {
			return r
		}
	}
	return reader{}
}

// lineReader is what has been read of code.
type lineReader struct {
	sources *sources
	files   map[string]string // names of files, by what code calls them
	line    int               // that instructions come from, 0 for none
	left    bool              // the line that was read is left out
}

// says takes the line that was read for one that says where those behind it come from.
func (r *lineReader) says(file string, line string) {
	n, err := strconv.Atoi(line)
	if err != nil {
		n = 0
	}
	r.line, r.left = r.sources.named(file, n), true
}

// readLines returns code without the lines that say where others come from, and where they do.
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

// readSPIRV knows OpLine, whose line holds until the next one or the end of the block (SPIR-V 1.6,
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

// readPTX knows .file and .loc (PTX ISA 9.0, 11.5).
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

// readAMDGPU knows comments with a file's name and a line.
func readAMDGPU(r *lineReader, line string) {
	if place, ok := strings.CutPrefix(line, "\t; \""); ok {
		if end := strings.LastIndex(place, `" `); end >= 0 {
			r.says(unquoted(`"`+place[:end+1]), place[end+2:])
		}
	} else if line == "}" || strings.HasPrefix(line, "define ") {
		r.line = 0
	}
}

// readListing knows comments with a file's name, a line and its text, and those of what comes from
// no line, which have no name of a file.
func readListing(r *lineReader, line string) {
	place, ok := strings.CutPrefix(line, "\t\t; ")
	if !ok {
		return
	}
	r.line, r.left = 0, true
	for _, f := range r.sources.files() {
		if rest, ok := strings.CutPrefix(place, f.Name+":"); ok {
			number, _, _ := strings.Cut(rest, ":")
			r.says(f.Name, number)
			return
		}
	}
}

func unquoted(text string) string {
	name, err := strconv.Unquote(text)
	if err != nil {
		return ""
	}
	return name
}
