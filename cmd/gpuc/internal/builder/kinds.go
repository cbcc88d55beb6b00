package builder

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/hostdecl"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
)

// The kinds of files that builds write.
var (
	CodeFile        = outfile.Kind{Recognise: RecogniseCode, Foreign: "gpuc did not make it"}
	descriptionFile = outfile.Kind{Recognise: recogniseDescription, Foreign: "is no description that gpuc made"}
	headerFile      = outfile.Kind{Magic: hostdecl.HeaderStart, Foreign: "gpuc build did not make it"}
	manifestFile    = outfile.Kind{Magic: ManifestStart, Foreign: "gpuc build did not make it"}
)

// ManifestStart is how manifests begin.
const ManifestStart = "{\n  \"gpuc\": \""

// RecogniseCode reports whether contents are code that gpuc writes for some target.
func RecogniseCode(contents []byte) bool {
	return slices.ContainsFunc(all.Targets, func(t *codegen.Target) bool { return t.Recognise(contents) })
}

// recogniseDescription reports whether contents are the description of a kernel.
func recogniseDescription(contents []byte) bool {
	var d struct {
		Name           string
		Workgroup      []uint32
		Bindings       *[]json.RawMessage
		WorkgroupBytes *uint32
	}
	return json.Unmarshal(contents, &d) == nil && d.Name != "" && len(d.Workgroup) == 3 && d.Bindings != nil && d.WorkgroupBytes != nil
}

// CheckExtension returns an error if the extension of a path is that of other contents. What is
// written has its own extension.
func CheckExtension(path, extension, what string) error {
	got := strings.ToLower(filepath.Ext(path))
	if got == "" || got == filepath.Ext(extension) {
		return nil
	}
	for _, known := range knownExtensions() {
		if got == known.extension {
			return usage.Errorf("%s has the name of %s, but %s is written to it; write -o %s%s", path, known.what, what,
				strings.TrimSuffix(path, filepath.Ext(path)), extension)
		}
	}
	return nil
}

// assemblySuffix follows the extension of code in that of its assembly.
const assemblySuffix = "asm"

func codeOf(t *codegen.Target) string     { return fmt.Sprintf("code for target %s", t.Name) }
func assemblyOf(t *codegen.Target) string { return fmt.Sprintf("assembly of target %s", t.Name) }

// namedContents are the contents of files with an extension.
type namedContents struct{ extension, what string }

// knownExtensions lists the extensions of the files that gpuc reads and writes.
func knownExtensions() []namedContents {
	known := []namedContents{{".wgsl", "a source"}, {".json", "a description"}}
	for _, t := range all.Targets {
		known = append(known, namedContents{filepath.Ext(t.Extension), codeOf(t)})
		if t.Object != nil {
			known = append(known, namedContents{t.ObjectExtension, "a code object of target " + string(t.Name)})
		}
		if t.Assemble != nil {
			known = append(known, namedContents{t.Extension + assemblySuffix, assemblyOf(t)})
		}
	}
	return known
}
