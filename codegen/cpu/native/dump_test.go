package native

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

func TestDump(t *testing.T) {
	name := os.Getenv("DUMPFILE")
	if name == "" {
		t.Skip()
	}
	m := module(t, name, 0)
	p, _, err := compiled(t, m, os.Getenv("ENTRY"), &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(p.F.Text())
	c, err := Compile(p, Options{Verify: false})
	if err != nil {
		t.Fatal(err)
	}
	s := &selector{p: p, f: p.F}
	s.flow.plan(s)
	t.Log(s.flow.partial, s.flow.masked, s.flow.meets, s.flow.follows, s.flow.tested)
	var text []byte
	for n := range c.List {
		text = amd64.AppendText(append(text, '\n'), &c.List[n])
	}
	t.Logf("%d bytes of context\n%s", c.Layout.ContextBytes, text)
}
