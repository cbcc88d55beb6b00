package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestDeviceForm has in -json what a device tells.
func TestDeviceForm(t *testing.T) {
	i := &gpu.Info{Driver: "cuda", Index: 1, Name: "NVIDIA H200", Kind: driver.GPU, Target: abi.PTX, Features: []abi.Feature{abi.Float16, abi.Subgroups},
		Hardware: driver.Hardware{Vendor: "NVIDIA", Units: 132, UnitName: "multiprocessor", Clock: 1e9, MemoryClock: 2e9, BusWidth: 6144, Cache: 7, Matrices: []string{"f16"}, Instructions: []string{"AVX2"}}}
	got := formOf(i, 5)
	if got.ID != "cuda:1" || got.Vendor != "NVIDIA" || got.Units != 132 || got.UnitName != "multiprocessor" || got.Clock != 1e9 || got.MemoryClock != 2e9 || got.BusWidth != 6144 ||
		got.Cache != 7 || got.Free != 5 || got.BytesPerSecond != 4.8e12 || got.FlopsPerSecond == 0 ||
		!slices.Equal(got.Matrices, []string{"f16"}) || !slices.Equal(got.Instructions, []string{"AVX2"}) || !slices.Equal(got.Features, []string{string(abi.Float16), string(abi.Subgroups)}) {
		t.Errorf("got %+v", got)
	}
}

// TestDevices lists the CPU with its cores, and with its free memory if that is asked for. What it
// writes with -json fits the schema.
func TestDevices(t *testing.T) {
	out, _ := succeed(t, "devices")
	for _, want := range []string{"cpu:0 ", " core", "features f16 float64"} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "are free") {
		t.Errorf("nobody asked for free memory:\n%s", out)
	}
	out, _ = succeed(t, "devices", "-json", "-free")
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	root := readSchema(t, "output.schema.json")
	if problem := root.validate(root.Definitions["devices"], v["results"], "results"); problem != "" {
		t.Error(problem)
	}
	for _, d := range v["results"].(map[string]any)["devices"].([]any) {
		if d := d.(map[string]any); d["driver"] == "cpu" && (d["units"] == nil || (d["memory"] != 0.0) != (d["free"] != nil)) {
			t.Errorf("a CPU: %v", d)
		}
	}
}
