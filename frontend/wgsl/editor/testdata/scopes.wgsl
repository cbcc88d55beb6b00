// Names that hide others, in every way WGSL has, and names of one spelling that mean different things.

struct position {
    size: vec2u,
    max: u32,
}

alias vec = vec2u;

const size = 4u;
override id: u32 = size;

@group(0) @binding(0) var<storage, read_write> result: array<position, size>;

var<private> value: u32 = 1;

fn max(a: u32, b: u32) -> u32 {
    return select(a, b, a < b);
}

fn f32(value: u32) -> u32 {
    return value + size;
}

fn shadows(size: u32) -> u32 {
    let value = size + value;
    var sum = value;
    {
        let value = value * 2;
        sum += value;
        const size = 3u;
        let outer = size + value;
        sum += outer;
    }
    for (var value = 0u; value < size; value++) {
        let size = value;
        sum += size;
    }
    for (var size = size; size > 0; size--) {
        sum += size;
        if size == 2 {
            let sum = sum;
            continue;
        } else if size == 3 {
            let size = sum;
            value_of(size);
        } else {
            let size = 1u;
            value_of(size);
        }
    }
    loop {
        let step = sum / 2;
        if step == 0 {
            break;
        }
        continuing {
            sum = step;
            let sum = step + 1;
            break if sum > 9;
        }
    }
    while sum < 9 {
        let sum_ = sum;
        sum = sum_ + 1;
    }
    switch size {
        case 1u, seven: {
            let size = 7u;
            sum += size;
        }
        default: {
            sum += size;
        }
    }
    return sum + value;
}

const seven = 7u;

fn value_of(value: u32) {
    let size = f32(value);
    result[0].max = max(size, result[0].max);
}

@compute @workgroup_size(size, 1)
fn main(@builtin(global_invocation_id) id_: vec3u) {
    var p = position(vec(1, 2), shadows(id_.x));
    let q = &p;
    q.max += id;
    (*q).size.x = p.max;
    result[min(id_.y, size - 1)] = p;
    let position = array<u32, size>();
    value_of(position[0]);
}
