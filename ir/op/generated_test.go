package op_test

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/ir/op/internal/tablegen"
)

func TestTablesAreGenerated(t *testing.T) {
	want, err := tablegen.Generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("table_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("table_gen.go is not what table.go gives: run go generate")
	}
}
