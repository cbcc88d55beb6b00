package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
)

// TestConstantIndicesOutside compiles constant indices out of range. Front ends report those that
// they find, but passes make more.
func TestConstantIndicesOutside(t *testing.T) {
	const head = `var @o : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @a : ptr<storage, array<array<vec4<u32>, 2u>, 7u>, read_write> [group 0, binding 1]
var @p : ptr<private, array<array<vec4<u32>, 2u>, 7u>>
var @w : ptr<workgroup, array<array<vec4<u32>, 2u>, 7u>>

kernel @main() [workgroup 1u, 1u, 1u] {
  %%f = var : ptr<function, array<array<vec4<u32>, 2u>, 7u>>
  %%q = access @o, 0u : ptr<storage, u32, read_write>
  %%x = load %%q : u32
  %%v = splat %%x : vec4<u32>
  %%loaded = load @a : array<array<vec4<u32>, 2u>, 7u>
  store %%f, %%loaded
%s  store %%q, %%r
  return
}
`
	for _, index := range []string{"12i", "-1i", "7u", "1319021305i", "-2147483648i", "4294967290u"} {
		for _, body := range []string{
			"  %%r = extract %%v, %s : u32\n",
			"  %%i = insert %%v, 3u, %s : vec4<u32>\n  %%r = extract %%i, 3u : u32\n",
			"  %%e = extract %%loaded, %s : array<vec4<u32>, 2u>\n  %%g = extract %%e, 1u : vec4<u32>\n  %%r = extract %%g, 0u : u32\n",
			"  %%e = extract %%loaded, 0u : array<vec4<u32>, 2u>\n  %%g = extract %%e, %s : vec4<u32>\n  %%r = extract %%g, 0u : u32\n",
			"  %%e = extract %%loaded, 0u : array<vec4<u32>, 2u>\n  %%i = insert %%e, %%v, %s : array<vec4<u32>, 2u>\n  %%g = extract %%i, 1u : vec4<u32>\n  %%r = extract %%g, 0u : u32\n",
			"  %%c = access @a, 0u, %[1]s, 0u : ptr<storage, u32, read_write>\n  %%r = load %%c : u32\n",
			"  %%c = access @a, 0u, 1u, %[1]s : ptr<storage, u32, read_write>\n  store %%c, 4u\n  %%r = load %%c : u32\n",
			"  %%c = access @p, 0u, %[1]s, 0u : ptr<private, u32>\n  store %%c, %%x\n  %%r = load %%c : u32\n",
			"  %%c = access @w, %[1]s, %[1]s, 0u : ptr<workgroup, u32>\n  store %%c, %%x\n  %%r = load %%c : u32\n",
			"  %%c = access %%f, %[1]s, %[1]s, 0u : ptr<function, u32>\n  store %%c, %%x\n  %%r = load %%c : u32\n",
			"  %%c = access %%f, 0u, %[1]s, %[1]s : ptr<function, u32>\n  %%r = load %%c : u32\n",
			"  %%e = extract array<array<vec4<u32>, 2u>, 2u>(array<vec4<u32>, 2u>(vec4<u32>(1u, 2u, 3u, 4u), vec4<u32>(5u, 6u, 7u, 8u)), array<vec4<u32>, 2u>(vec4<u32>(9u, 9u, 9u, 9u), vec4<u32>(8u, 8u, 8u, 8u))), 0u : array<vec4<u32>, 2u>\n  %%g = extract %%e, %s : vec4<u32>\n  %%r = extract %%g, 0u : u32\n",
			"  %%e = extract array<array<vec4<u32>, 2u>, 2u>(array<vec4<u32>, 2u>(vec4<u32>(1u, 2u, 3u, 4u), vec4<u32>(5u, 6u, 7u, 8u)), array<vec4<u32>, 2u>(vec4<u32>(9u, 6u, 7u, 8u), vec4<u32>(5u, 6u, 7u, 8u))), %[1]s : array<vec4<u32>, 2u>\n  %%g = extract %%e, %[1]s : vec4<u32>\n  %%r = extract %%g, %[1]s : u32\n",
		} {
			text := fmt.Sprintf(head, fmt.Sprintf(body, index))
			m, _, items := ir.ParseString(text)
			if m == nil {
				t.Fatalf("does not parse: %+v\n%s", items, text)
			}
			want, err := interpret(m.Clone(), 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range all.Targets {
				for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsTrap}, {Bounds: opt.BoundsTrap, NoOptimize: true}, {Bounds: opt.BoundsOff}, {Bounds: opt.BoundsOff, NoOptimize: true}} {
					if _, err := compile(m, target, o); err != nil {
						t.Errorf("%v\n%s", err, text)
						continue
					}
					if o.Bounds != opt.BoundsRobust || strings.Contains(body, "store") {
						continue // whether a store is dropped or goes to the last part is open
					}
					l, err := legalised(m, target, &o)
					if err != nil {
						t.Errorf("%v\n%s", err, text)
						continue
					}
					got, err := interpret(l, 1)
					if err == nil {
						err = differ(want, got, 1)
					}
					if err != nil {
						t.Errorf("%s, %s: %v\n%s", target.Name, name(&o), err, text)
					}
				}
			}
		}
	}
}
