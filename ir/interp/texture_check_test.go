package interp_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
)

// TestCheckedTextures looks at the reports of the checked mode.
func TestCheckedTextures(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"loads outside", `
  %t = load @t : texture_2d_array<f32>
  %i = bitcast %l : i32
  %j = sub %i, 1i : i32
  %xy = construct %j, 2i : vec2<i32>
  %v = texture_load %t, %xy, 0u, 0u : vec4<f32>
  %w = texture_load %t, vec2<u32>(1u, 2u), %l, 0u : vec4<f32>
  %x = texture_load %t, vec2<u32>(1u, 1u), 0u, %l : vec4<f32>
  %y = texture_load %t, vec2<u32>(1u, 3u), 0u, 1u : vec4<f32>
  %z = texture_size %t, %j : vec2<u32>`, []string{
			"out-of-bounds: texel (4294967295 (or -1), 2) is outside of the 4 x 4 texels of t at level 0, in invocation (0, 0, 0) of workgroup (0, 0, 0)",
			"out-of-bounds: layer 3 is outside of the 3 layers of t, in invocation (3, 0, 0)",
			"out-of-bounds: level 2 is outside of the 2 levels of t, in invocation (2, 0, 0)",
			"out-of-bounds: texel (1, 3) is outside of the 2 x 2 texels of t at level 1",
			"out-of-bounds: level 4294967295 (or -1) is outside of the 2 levels of t"}},
		{"a store outside is defined", `
  %a = load @a : texture_storage_2d<r32uint, read_write>
  %xy = construct 4u, %l : vec2<u32>
  texture_store %a, %xy, vec4<u32>(1u, 2u, 3u, 4u)
  texture_store %a, vec2<i32>(-1i, 0i), vec4<u32>(1u, 2u, 3u, 4u)`, nil},
		{"a read outside", `
  %a = load @a : texture_storage_2d<r32uint, read_write>
  %xy = construct %l, 4u : vec2<u32>
  %v = texture_read %a, %xy : vec4<u32>`, []string{"out-of-bounds: texel (0, 4) is outside of the 4 x 4 texels of a, in invocation (0, 0, 0)"}},
		{"all write one texel", `
  %a = load @a : texture_storage_2d<r32uint, read_write>
  texture_store %a, vec2<u32>(1u, 2u), vec4<u32>(1u, 2u, 3u, 4u)`,
			[]string{"data-race: invocation (1, 0, 0) of workgroup (0, 0, 0) writes texel (1, 2) of a, which another invocation wrote, and nothing orders the two"}},
		{"each reads what the next wrote", `
  %a = load @a : texture_storage_2d<r32uint, read_write>
  %xy = construct %l, 0u : vec2<u32>
  texture_store %a, %xy, vec4<u32>(1u, 2u, 3u, 4u)
  barrier [storage]
  %o = xor %l, 1u : u32
  %xyo = construct %o, 0u : vec2<u32>
  %v = texture_read %a, %xyo : vec4<u32>`,
			[]string{"data-race: reads texel (1, 0) of a, which another invocation wrote"}},
		{"a texture barrier orders that", `
  %a = load @a : texture_storage_2d<r32uint, read_write>
  %xy = construct %l, 0u : vec2<u32>
  texture_store %a, %xy, vec4<u32>(1u, 2u, 3u, 4u)
  barrier [texture]
  %o = xor %l, 1u : u32
  %xyo = construct %o, 0u : vec2<u32>
  %v = texture_read %a, %xyo : vec4<u32>`, nil},
		{"layers are apart", `
  %b = load @b : texture_storage_2d_array<rgba8unorm, write>
  texture_store %b, vec2<u32>(1u, 1u), %l, vec4<f32>(1f, 1f, 1f, 1f)`, nil},
		{"a layer is shared", `
  %b = load @b : texture_storage_2d_array<rgba8unorm, write>
  %k = max %l, 2u : u32
  texture_store %b, vec2<u32>(3u, 1u), %k, vec4<f32>(1f, 1f, 1f, 1f)`,
			[]string{"data-race: writes texel (3, 1) of layer 2 of b, which another invocation wrote"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, `
var @t : ptr<handle, texture_2d_array<f32>> [group 0, binding 0]
var @a : ptr<handle, texture_storage_2d<r32uint, read_write>> [group 0, binding 1]
var @b : ptr<handle, texture_storage_2d_array<rgba8unorm, write>> [group 0, binding 2]
kernel @k(%l: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %ut = load @t : texture_2d_array<f32>
  %ua = load @a : texture_storage_2d<r32uint, read_write>
  %ub = load @b : texture_storage_2d_array<rgba8unorm, write>
`+c.body+`
  return
}`)
			items := checked(t, p, interp.Launch{Handles: []texture.Handle{
				{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R8Unorm, Width: 4, Height: 4, Layers: 3, Levels: 2}, digits)},
				{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Uint, Width: 8, Height: 8, Levels: 2}, digits), Level: 1},
				{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 4, Height: 2, Layers: 4}, digits)},
			}})
			expect(t, items, c.want...)
		})
	}
}
