// Subgroup matrices through control flow, calls and copies.
enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sum = subgroup_matrix_result<f32, 16, 16>;

struct State {
  sums: array<Sum, 2>,
  steps: u32,
}

@group(0) @binding(0) var<storage, read> given: array<f16, 768>; // three matrices
@group(0) @binding(1) var<storage, read> plan: array<u32>; // what to do, step by step
@group(0) @binding(2) var<storage, read_write> sums: array<f32>; // two matrices for each workgroup
@group(0) @binding(3) var<storage, read_write> steps: array<u32>;

fn chosen(n: u32) -> Left {
  if n == 0u {
    return subgroupMatrixLoad<Left>(&given, 0, false, 16);
  }
  switch n {
    case 1u: {
      return subgroupMatrixLoad<Left>(&given, 256, true, 16);
    }
    default: {
      return Left(0.5h);
    }
  }
}

fn stepped(before: State, left: Left, right: Right) -> State {
  var after = before;
  after.sums[before.steps % 2u] = subgroupMatrixMultiplyAccumulate(left, right, before.sums[0]);
  after.steps = before.steps + 1u;
  return after;
}

fn exchange(s: ptr<function, State>) {
  let first = (*s).sums[0];
  (*s).sums[0] = (*s).sums[1];
  (*s).sums[1] = first;
}

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u, @builtin(subgroup_id) subgroup: u32) {
  if subgroup != 0u {
    return;
  }
  let right = subgroupMatrixLoad<Right>(&given, 512, false, 16);
  var state: State;
  var states: array<State, 2>;
  var kept = Sum(f32(group.x));
  for (var n = group.x; n < arrayLength(&plan); n++) {
    let what = plan[n];
    if what == 7u {
      break;
    }
    if what == 6u {
      continue;
    }
    switch what {
      case 0u, 1u, 2u: {
        state = stepped(state, chosen(what), right);
      }
      case 3u: {
        exchange(&state);
      }
      case 4u: {
        let was = kept;
        kept = state.sums[0];
        state.sums[1] = was;
        states[n % 2u] = state;
      }
      default: {
        var last = state.sums[0];
        if n > 3u {
          last = states[(n + 1u) % 2u].sums[1];
        } else if what == 5u {
          last = Sum();
        }
        state.sums[0] = last;
      }
    }
  }
  subgroupMatrixStore(&sums, group.x * 512u, state.sums[0], false, 16);
  subgroupMatrixStore(&sums, group.x * 512u + 256u, subgroupMatrixScalarMultiply(kept, 2.0), true, 16);
  if i == 0u {
    steps[group.x] = state.steps;
  }
}
