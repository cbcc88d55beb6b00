package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/playground/site"
	"github.com/gpuc/gpuc/internal/testmode"
	"golang.org/x/tools/txtar"
)

// schema is the part of JSON Schema 2020-12 that our schemas use. Reading a schema that uses more
// fails.
type schema struct {
	Comment     string             `json:"$schema"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Ref         string             `json:"$ref"`
	Definitions map[string]*schema `json:"$defs"`
	Type        string             `json:"type"`
	Enum        []any              `json:"enum"`
	AnyOf       []*schema          `json:"anyOf"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
}

// readSchema reads a schema in docs/reference.
func readSchema(t *testing.T, name string) *schema {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/" + name)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	root := new(schema)
	if err := decoder.Decode(root); err != nil {
		t.Fatal(err)
	}
	return root
}

// definition returns the schema of a $ref.
func (root *schema) definition(ref string) *schema {
	return root.Definitions[strings.TrimPrefix(ref, "#/$defs/")]
}

// validate returns the error in a value, or "". Path is that of the value.
func (root *schema) validate(s *schema, v any, path string) string {
	if s.Ref != "" {
		d := root.definition(s.Ref)
		if d == nil {
			return "there is no " + s.Ref
		}
		return root.validate(d, v, path)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(x any) bool { return reflect.DeepEqual(x, v) }) {
		return fmt.Sprintf("%s: %v is none of %v", path, v, s.Enum)
	}
	if s.AnyOf != nil {
		var all []string
		for _, option := range s.AnyOf {
			problem := root.validate(option, v, path)
			if problem == "" {
				return ""
			}
			all = append(all, problem)
		}
		return path + ": none of these fits: " + strings.Join(all, "; ")
	}
	fits := true
	switch s.Type {
	case "":
	case "null":
		fits = v == nil
	case "string":
		_, fits = v.(string)
	case "boolean":
		_, fits = v.(bool)
	case "number":
		_, fits = v.(float64)
	case "integer":
		x, ok := v.(float64)
		fits = ok && x == float64(int64(x))
	case "array":
		list, ok := v.([]any)
		fits = ok
		for n, x := range list {
			if problem := root.validate(s.Items, x, fmt.Sprintf("%s[%d]", path, n)); problem != "" {
				return problem
			}
		}
	case "object":
		object, ok := v.(map[string]any)
		if fits = ok; !ok {
			break
		}
		for _, name := range s.Required {
			if _, ok := object[name]; !ok {
				return path + ": there is no member " + name
			}
		}
		for name, x := range object {
			p := s.Properties[name]
			if p == nil {
				return path + ": the schema has no member " + name
			}
			if problem := root.validate(p, x, path+"."+name); problem != "" {
				return problem
			}
		}
		if s.Additional == nil || *s.Additional {
			return path + ": the schema says nothing of members that it does not have"
		}
	default:
		return path + ": the schema has the type " + s.Type
	}
	if !fits {
		return fmt.Sprintf("%s: %v is no %s", path, v, s.Type)
	}
	return ""
}

// envelopeFiles are sources for the command lines below.
var envelopeFiles = map[string]string{
	"good.wgsl": `struct Point { at: vec3f, weight: f32 }
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage> points: array<Point>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] += 1.0 + points[0].weight; }
`,
	"wrong.wgsl": "fn f() -> u32 { lett a = 1u; return colour; }\nconst color = 1u;\n",
	"warn.wgsl":  "@group(0) @binding(0) var<storage> b: array<f32>;\n@compute @workgroup_size(1) fn main() { let a = 1; }\n",
	"loose.wgsl": "fn  f( ) { }\n",
	"race.wgsl": `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) { x[0] = id.x; }
`,
	"says.wgsl": `enable gpuc_debug;
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1)
fn main() { printf("x = %d", x[0]); assert(x[0] == 0u, "zero"); }
`,
	"picture.wgsl": `@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) { textureStore(image, id.xy, vec4f(1)); }
`,
}

// envelopeLines are command lines with their exit status, and the definition of the schema for
// their results, or "".
var envelopeLines = []struct {
	line    string
	exit    int
	results string
}{
	{"check good.wgsl", 0, "check"},
	{"check wrong.wgsl good.wgsl gone.wgsl", 1, "check"},
	{"check warn.wgsl", 0, "check"},
	{"check -Werror warn.wgsl", 1, "check"},
	{"check -fix -n wrong.wgsl", 1, "check"},
	{"check -fix wrong.wgsl", 0, "check"},
	{"check", 2, ""},
	{"check -wrong-flag good.wgsl", 2, ""},
	{"check -h", 0, "text"},
	{"build -o out/ good.wgsl", 0, "build"},
	{"build -target all -o all/ good.wgsl", 0, "build"},
	{"build -report -o out/ good.wgsl", 0, "build"},
	{"build -target wgsl -S good.wgsl", 0, "text"},
	{"build -o - good.wgsl", 2, ""},
	{"build race.wgsl gone.wgsl", 1, ""},
	{"build -entry other good.wgsl", 1, ""},
	{"build -target other good.wgsl", 2, ""},
	{"run -device cpu -bind x=zeros(4) -bind points=zeros(8) -extent 4 -out x=x.bin good.wgsl", 0, "run"},
	{"run -device cpu -bind x=zeros(4) -bind points=zeros(8) -extent 4 -repeat 3 good.wgsl", 0, "run"},
	{"run -device cpu -bind x=zeros(4) -bind points=zeros(8) -extent 4 -profile good.wgsl", 0, "run"},
	{"run -device cpu -bind x=zeros(4) good.wgsl", 2, ""},
	{"run -device cpu:checked -bind x=zeros(4) -extent 4 race.wgsl", 1, ""},
	{"run -device cpu -debug -bind x=zeros(1) -extent 1 says.wgsl", 0, "run"},
	{"run -device cpu -debug -bind x=1 -extent 1 says.wgsl", 1, ""},
	{"run -device cpu -bind image=4x4 picture.wgsl", 0, "run"},
	{"run -device nowhere -extent 1 race.wgsl", 1, ""},
	{"run -device cpu -bind x=zeros(4) -extent 4 -out x=- race.wgsl", 2, ""},
	{"gen .", 1, ""},
	{"tune .", 1, ""},
	{"tune -budget 0s .", 2, ""},
	{"fmt good.wgsl", 0, "fmt"},
	{"fmt -l good.wgsl loose.wgsl", 1, "fmt"},
	{"fmt -d loose.wgsl", 1, "fmt"},
	{"fmt -w loose.wgsl", 0, "fmt"},
	{"fmt gone.wgsl", 1, "fmt"},
	{"explore good.wgsl", 0, "build"},
	{"explore -o - good.wgsl", 2, ""},
	{"explore wrong.wgsl", 1, ""},
	{"playground -o site/", 0, "build"},
	{"playground -o good.wgsl", 1, ""},
	{"playground", 2, ""},
	{"ir good.wgsl", 0, "text"},
	{"ir gone.wgsl", 1, ""},
	{"layout good.wgsl", 0, "layout"},
	{"layout -lang go good.wgsl", 0, "text"},
	{"layout race.wgsl", 1, ""},
	{"doc", 0, "text"},
	{"doc licm", 0, "text"},
	{"doc no-such-name", 2, ""},
	{"devices", 0, "devices"},
	{"devices -free", 0, "devices"},
	{"devices too many", 2, ""},
	{"cache", 0, "cache"},
	{"cache -clear", 0, "cache"},
	{"cache x", 2, ""},
	{"targets", 0, "targets"},
	{"targets x", 2, ""},
	{"completion fish", 0, "text"},
	{"completion csh", 2, ""},
	{"man", 0, "text"},
	{"man x", 2, ""},
	{"version", 0, "version"},
	{"version x", 2, ""},
}

// TestEnvelopes validates the output of commands with -json, with and without errors. It is one
// line, and nothing goes to standard error.
func TestEnvelopes(t *testing.T) {
	testmode.Long(t)
	root := readSchema(t, "output.schema.json")
	site.SourceFolder, _ = filepath.Abs("../..")
	defer func() { site.SourceFolder = "" }()
	t.Chdir(t.TempDir())
	seen := map[string][2]bool{} // by command: whether one succeeded, and one failed
	for _, x := range envelopeLines {
		for name, text := range envelopeFiles {
			write(t, name, text)
		}
		var stdout, stderr bytes.Buffer
		e := &cli.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Terminal: true, Colour: true}
		words := strings.Fields(x.line)
		code := gpuc.Execute(e, slices.Insert(words, 1, "-json"))
		if stderr.Len() > 0 || strings.Count(stdout.String(), "\n") != 1 {
			t.Errorf("%s writes\n%s%s", x.line, stdout.String(), stderr.String())
			continue
		}
		var v any
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", x.line, err)
			continue
		}
		if problem := root.validate(root, v, x.line); problem != "" {
			t.Error(problem)
			continue
		}
		got := v.(map[string]any)
		if code != x.exit || got["exit"] != float64(code) || got["ok"] != (code == 0) || got["command"] != words[0] {
			t.Errorf("%s ends with %d, want %d: %s", x.line, code, x.exit, stdout.String())
		}
		if code != 0 && got["errors"] == nil && len(got["diagnostics"].([]any)) == 0 && got["results"] == nil {
			t.Errorf("%s fails and says nothing: %s", x.line, stdout.String())
		}
		want := &schema{Type: "null"}
		if x.results != "" {
			want = root.Definitions[x.results]
		}
		if problem := root.validate(want, got["results"], x.line+": results"); problem != "" {
			t.Error(problem)
		}
		both := seen[words[0]]
		both[min(code, 1)] = true
		seen[words[0]] = both
	}
	for _, c := range gpuc.Commands {
		if both := seen[c.Name]; !c.Protocol && both != [2]bool{true, true} && c.Name != "gen" && c.Name != "tune" {
			t.Errorf("%s is tried with these outcomes (well, failing): %v", c.Name, both)
		}
	}
	// the script gen_json and internal/gentest have the other
	for _, name := range []string{"gen", "tune"} {
		if both := seen[name]; !both[1] {
			t.Errorf("%s is not tried", name)
		}
	}
}

// TestScriptEnvelopes validates the expected output of scripts with -json. That of gen is among
// them, which needs a Go module.
func TestScriptEnvelopes(t *testing.T) {
	root := readSchema(t, "output.schema.json")
	names, err := filepath.Glob("testdata/script/*json*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			var v any
			if f.Name != "stdout" {
				continue
			}
			data := bytes.ReplaceAll(f.Data, []byte("[…]"), []byte("[]")) // times
			if err := json.Unmarshal(data, &v); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if problem := root.validate(root, v, name); problem != "" {
				t.Error(problem)
				continue
			}
			object := v.(map[string]any)
			command := object["command"].(string)
			commands[command] = commands[command] || object["ok"] == true
		}
	}
	if !commands["gen"] || !commands["run"] {
		t.Errorf("scripts show these commands: %v", commands)
	}
}

// TestValidator: the validator refuses values that the schema does not allow.
func TestValidator(t *testing.T) {
	root := readSchema(t, "output.schema.json")
	for _, wrong := range []string{
		`{}`, `[]`, `null`,
		`{"gpuc":1,"command":"man","ok":true,"exit":0,"diagnostics":[],"results":null}`,
		`{"gpuc":"1","command":"serve","ok":true,"exit":0,"diagnostics":[],"results":null}`,
		`{"gpuc":"1","command":"man","ok":true,"exit":4,"diagnostics":[],"results":null}`,
		`{"gpuc":"1","command":"man","ok":true,"exit":0,"diagnostics":null,"results":null}`,
		`{"gpuc":"1","command":"man","ok":true,"exit":0,"diagnostics":[],"results":{}}`,
		`{"gpuc":"1","command":"man","ok":true,"exit":0,"diagnostics":[],"results":null,"more":1}`,
		`{"gpuc":"1","command":"man","ok":true,"exit":0,"diagnostics":[{"severity":"bad","code":"a","message":"b"}],"results":null}`,
		`{"gpuc":"1","command":"man","ok":true,"exit":0,"diagnostics":[{"severity":"error","code":"a","message":"b","place":{"file":"c"}}],"results":null}`,
		`{"gpuc":"1","command":"version","ok":true,"exit":0,"diagnostics":[],"results":{"version":"1","go":"2","system":"3"}}`,
		`{"gpuc":"1","command":"build","ok":true,"exit":0,"diagnostics":[],"results":{"files":[{"file":"a","bytes":1.5,"holds":"b"}]}}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(wrong), &v); err != nil {
			t.Fatal(err)
		}
		if root.validate(root, v, "value") == "" {
			t.Errorf("the schema takes %s", wrong)
		}
	}
}
