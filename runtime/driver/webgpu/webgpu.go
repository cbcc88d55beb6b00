// Package webgpu runs kernels in browsers through WebGPU (https://www.w3.org/TR/webgpu/). It is for
// GOOS=js, and empty elsewhere. Kernels are compiled for the target wgsl.
//
// A page has one thread, on which promises are resolved. So calls that wait, as Stream.Wait and
// Read do, must not come from a function that JavaScript calls (js.FuncOf): a goroutine may make
// them.
package webgpu
