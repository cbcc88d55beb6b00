package abi

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// fill gives a value random contents, about half of it none.
func fill(v reflect.Value, random *rand.Rand) {
	if random.IntN(2) == 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		some := []string{"main", "array<vec2<f32>>", "a & b", "größe", "Δ\u2028", "\"\\\n\x00\x7f", "\xff", "𝛼", "ptr<function, i32>"}
		v.SetString(some[random.IntN(len(some))])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(random.Uint64() >> random.IntN(64)))
	case reflect.Uint8: // shapes and formats, which have names up to some number, and bytes
		v.SetUint(random.Uint64N(16))
	case reflect.Int32:
		v.SetInt(int64(int32(random.Uint32())))
	case reflect.Float64:
		v.SetFloat(random.NormFloat64() * math.Pow(10, float64(random.IntN(60)-30)))
	case reflect.Uint32:
		v.SetUint(uint64(random.Uint32()))
	case reflect.Uint64:
		v.SetUint(random.Uint64())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), random)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(4), 4))
		for i := range v.Len() {
			fill(v.Index(i), random)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), random)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), random)
		}
	default:
		panic("no contents for " + v.Type().String())
	}
}

// TestMarshal compares the text with that of package encoding/json without HTML's escapes.
func TestMarshal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	compare := func(v any, got []byte, err error) {
		t.Helper()
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		if err != nil || string(got)+"\n" != want.String() {
			t.Fatalf("%v, got\n%s\nwant\n%s", err, got, want.String())
		}
	}
	for range 2000 {
		var k Kernel
		for i := range reflect.ValueOf(k).NumField() {
			fill(reflect.ValueOf(&k).Elem().Field(i), random)
		}
		got, err := k.Marshal()
		compare(&k, got, err)
		d := Description{Kernel: k}
		for i := range reflect.ValueOf(d).NumField() {
			fill(reflect.ValueOf(&d).Elem().Field(i), random)
		}
		got, err = d.Marshal()
		compare(&d, got, err)
	}
}
