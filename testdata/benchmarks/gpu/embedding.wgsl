// Rows of 256 of a table, as indices say: a workgroup copies one.
@group(0) @binding(0) var<storage, read> table: array<f32>;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> rows: array<f32>;

@compute @workgroup_size(256)
fn embedding(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  rows[group.x * 256 + t] = table[indices[group.x] * 256 + t];
}
