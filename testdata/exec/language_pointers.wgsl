// Pointers as parameters: to struct members, array elements, private and
// workgroup variables and storage, handed on through a second function; two
// pointers at once; let-bound pointers.
struct Inner {
  values: array<u32, 4>,
  sum: u32,
}

struct Outer {
  head: u32,
  inner: array<Inner, 2>,
}

@group(0) @binding(0) var<storage, read_write> cells: array<Outer>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;

var<private> counter: u32;
var<workgroup> shared_cells: array<Inner, 8>;

fn add(target_value: ptr<function, u32>, amount: u32) {
  *target_value += amount;
}

fn add_twice(target_value: ptr<function, u32>, amount: u32) {
  add(target_value, amount);
  add(target_value, amount * 10u);
  count(&counter);
}

fn count(c: ptr<private, u32>) {
  (*c)++;
}

fn fill(inner: ptr<function, Inner>, start: u32) {
  for (var i = 0u; i < 4u; i++) {
    inner.values[i] = start + i;
    add_twice(&inner.values[i], i);
    inner.sum += inner.values[i];
  }
}

fn exchange(a: ptr<function, u32>, b: ptr<function, u32>) {
  let t = *a;
  *a = *b;
  *b = t;
}

fn bump_storage(value: ptr<storage, u32, read_write>, amount: u32) {
  *value += amount;
}

fn bump_inner(inner: ptr<storage, Inner, read_write>, at: u32) {
  bump_storage(&inner.values[at], 100u);
  bump_storage(&inner.sum, 100u);
}

fn share(place: ptr<workgroup, Inner>, value: Inner) {
  *place = value;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  var outer: Outer;
  add(&outer.head, id.x);
  fill(&outer.inner[id.x & 1u], id.x * 2u);
  fill(&outer.inner[1], 50u);
  let p = &outer.inner[0];
  // Two arguments may not have one root: the exchange goes through a third place.
  var spare = id.x + 7u;
  exchange(&(*p).values[0], &spare);
  exchange(&spare, &outer.inner[1].values[3]);
  share(&shared_cells[local], outer.inner[1]);
  workgroupBarrier();
  let neighbour = &shared_cells[(local + 1u) % 8u];
  if id.x < arrayLength(&cells) {
    cells[id.x] = outer;
    bump_inner(&cells[id.x].inner[id.x % 2u], id.x % 4u);
    results[id.x] = vec4u(counter, (*neighbour).sum, neighbour.values[3], outer.inner[0].values[0]);
  }
}
