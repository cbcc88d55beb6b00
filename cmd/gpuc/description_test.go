package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestDescriptions checks the descriptions of all exec kernels against
// docs/reference/description.schema.json and against the code, for several targets and modes of
// bounds.
func TestDescriptions(t *testing.T) {
	root := readSchema(t, "description.schema.json")
	sources, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(sources) < 100 {
		t.Fatalf("%d kernels: %v", len(sources), err)
	}
	described, parameters := 0, 0
	for n, source := range sources {
		if !testmode.Sampled(n, 13) {
			continue
		}
		bounds := []string{"robust", "trap", "off"}[n%3]
		for _, targets := range []string{"spirv,spirv:1.6,cpu,msl", "ptx:sm_80", "wgsl,checked", "amdgpu:gfx942"} {
			folder := t.TempDir() + "/"
			arguments := append(settingsOf(filepath.Base(source)), "-bounds", bounds, "-target", targets, "-o", folder, source)
			switch targets {
			case "wgsl,checked": // these cannot print
			case "amdgpu:gfx942":
				arguments = append(arguments, "-direct")
			default:
				arguments = append(arguments, "-debug")
			}
			if _, said, code := build(arguments); code != cli.ExitOK {
				if !strings.Contains(said, "error: target ") && !strings.Contains(said, "error: the target ") {
					t.Errorf("%s ends with %d and says %s", source, code, said)
				}
				continue
			}
			files := filesIn(t, folder)
			for name, data := range files {
				if !strings.HasSuffix(name, ".json") {
					continue
				}
				var v any
				if err := json.Unmarshal(data, &v); err != nil {
					t.Fatal(err)
				}
				if problem := root.validate(root, v, source+": "+name); problem != "" {
					t.Error(problem)
				}
				if bytes.Contains(data, []byte(`\u003`)) {
					t.Errorf("%s of %s has escapes for HTML", name, source)
				}
				d, err := abi.UnmarshalDescription(data)
				if err != nil {
					t.Fatalf("%s of %s: %v", name, source, err)
				}
				sum := sha256.Sum256(files[d.Code.File])
				if len(files[d.Code.File]) != d.Code.Bytes || hex.EncodeToString(sum[:]) != d.Code.SHA256 {
					t.Errorf("%s of %s describes another file than %s", name, source, d.Code.File)
				}
				described++
				if d.Target == abi.PTX {
					parameters += checkDeclared(t, source, d, string(files[d.Code.File]))
				}
			}
		}
	}
	t.Logf("%d descriptions, %d parameters of PTX", described, parameters)
	if testmode.IsWhole() && (described < 500 || parameters < 500) {
		t.Errorf("%d descriptions and %d parameters of PTX are looked at", described, parameters)
	}
}

// TestTensorSchema checks the description of a variant with tensor maps against the schema.
func TestTensorSchema(t *testing.T) {
	k := abi.Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1}, Bindings: []abi.Binding{{Name: "x", Access: abi.Read, Stride: 2}}, Parameters: []abi.Parameter{{Kind: abi.TensorMapParameter}}}
	k.WorkgroupBytes, k.DynamicBytes, k.Profile = 4096, 1024, "sm_90a"
	x := &abi.Tensor{Artefact: &abi.Artefact{Code: []byte("variant"), Kernel: k}}
	for _, element := range []string{"f16", "bf16", "f32", "f64", "i8", "u8", "e4m3", "e5m2", "i32", "u32"} {
		x.Maps = append(x.Maps, abi.TensorMap{Layout: abi.ValueAt{Binding: -1}, Element: element, Box: [2]uint32{64, 32}, Swizzle: 64})
	}
	x.Maps[0].Windows, x.Maps[1].Windows = &abi.TensorWindows{Values: make([]int32, 8)}, &abi.TensorWindows{At: &abi.ValueAt{Binding: -1}}
	d := &abi.Description{Version: abi.DescriptionVersion, Target: abi.PTX, Code: abi.CodeFileOf("main.ptx", []byte("kernel")), Kernel: k, Tensor: x.Describe("main.tensor.ptx")}
	data, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	root := readSchema(t, "description.schema.json")
	if problem := root.validate(root, v, "the description"); problem != "" {
		t.Error(problem)
	}
}

// declared matches the declaration of a kernel's parameter in PTX: type or alignment, name, size.
var declared = regexp.MustCompile(`(?m)^\t\.param (?:\.(u64|u32) (?:\.ptr \.global \.align (\d+) )?(\w+)|\.align (\d+) \.b8 [\w.$]+\[(\d+)\]),?$`)

// checkDeclared compares the parameters of a description with those that PTX declares, and returns
// their number.
func checkDeclared(t *testing.T, source string, d *abi.Description, text string) int {
	t.Helper()
	_, text, _ = strings.Cut(text, ".entry "+d.Name+"(")
	text, _, _ = strings.Cut(text, "\n)")
	list := declared.FindAllStringSubmatch(text, -1)
	if len(list) != len(d.Parameters) || len(list) != strings.Count(text, ".param") {
		t.Errorf("%s: %d parameters are declared and %d described:\n%s", source, len(list), len(d.Parameters), text)
		return 0
	}
	end := 0
	for n, p := range list {
		bytes, align := map[string]int{"u64": 8, "u32": 4}[p[1]], 0
		if align = bytes; bytes == 0 {
			align, _ = strconv.Atoi(p[4])
			bytes, _ = strconv.Atoi(p[5])
		}
		for end%align != 0 {
			end++
		}
		got := d.Parameters[n]
		if int(got.Offset) != end || int(got.Bytes) != bytes {
			t.Errorf("%s: parameter %d is %+v, declared at %d with %d bytes", source, n, got, end, bytes)
		}
		if p[2] != "" && p[2] != strconv.Itoa(int(d.Alignment)) {
			t.Errorf("%s: addresses are declared with an alignment of %s, and described with %d", source, p[2], d.Alignment)
		}
		end += bytes
	}
	return len(list)
}
