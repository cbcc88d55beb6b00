// All invocations add to one number, and none waits for another: some additions are lost on a GPU. The checked device says
// where. With `counter: atomic<u32>` and atomicAdd(&counter, 1u) nothing is lost.
@group(0) @binding(0) var<storage, read_write> counter: u32;

@compute @workgroup_size(64)
fn main() {
  counter = counter + 1u;
}
