// Products that wrap, as indices, shift amounts and divisors. A small number times
// a large factor is a small number again modulo 2^32, in range or not: what lies
// outside of its variable reads an element of it and writes nothing.
struct Sheet {
  before: array<u32, 8>,
  table: array<u32, 8>,
  after: array<u32, 32>,
}

@group(0) @binding(0) var<storage, read_write> sheet: Sheet;
@group(0) @binding(1) var<storage, read_write> open: array<u32>;
@group(0) @binding(2) var<storage, read_write> loads: array<u32>;
@group(0) @binding(3) var<storage, read_write> numbers: array<u32>;

var<workgroup> before: array<u32, 8>;
var<workgroup> tile: array<u32, 8>;
var<workgroup> after: array<u32, 32>;
var<private> own: array<u32, 8>;

const rounds = 6u;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  if group.x != 1 { // one stores
    return;
  }
  var local: array<u32, 8>;
  for (var j = 0u; j < 8; j++) {
    before[j] = 100 + j;
    tile[j] = 200 + j;
    own[j] = 500 + j;
    local[j] = 600 + j;
  }
  for (var j = 0u; j < 32; j++) {
    after[j] = 300 + j;
  }

  // Loads: 3 · 0xAAAAAAAE = 10, 4 · 0xC0000001 = 4, 2 · 0x80000004 = 8.
  var at = 0u;
  {
    var i = 3u;
    for (var n = 0u; n < rounds; n++) {
      loads[at] = tile[i];
      loads[at + 1] = own[i];
      loads[at + 2] = local[i];
      loads[at + 3] = sheet.table[i];
      loads[at + 4] = open[i];
      at += 5;
      i *= 0xAAAAAAAE;
    }
  }
  {
    var i = 5u;
    loop {
      loads[at] = tile[i] + sheet.table[i] * 1000 + open[i] * 1000000;
      at++;
      continuing {
        i *= 0xC0000001;
        break if at >= 36;
      }
    }
  }
  {
    var i = 3i;
    for (var n = 0u; n < rounds; n++) { // 3 · 0x55555558 = 8
      loads[at] = own[i] + local[i] * 1000;
      at++;
      i *= 0x55555558;
    }
  }
  {
    var i = 1u;
    for (var n = 0u; n < rounds; n++) {
      loads[at] = tile[i] + own[i] * 1000;
      at++;
      i <<= 31;
    }
  }
  {
    var i = -1i; // an index that is in range because of what is added
    while i < 7 {
      loads[at] = tile[i + 1] + own[i + 1] * 1000 + local[i + 1] * 1000000;
      at++;
      i++;
    }
  }

  // Stores.
  {
    var i = 3u;
    for (var n = 0u; n < rounds; n++) {
      tile[i] = 7000 + n;
      own[i] = 7100 + n;
      local[i] = 7200 + n;
      sheet.table[i] = 7300 + n;
      open[i] = 7400 + n;
      i *= 0xAAAAAAAE;
    }
  }
  {
    var i = 4u;
    for (var n = 0u; n < rounds; n++) {
      sheet.table[i] += 10000;
      open[i + 1] += 10000;
      i *= 0xC0000003;
    }
  }

  // Amounts and divisors that are defined whatever they come to.
  {
    var amount = 3u;
    var divisor = 6u;
    for (var n = 0u; n < rounds; n++) {
      numbers[n] = 0x12345u << amount;
      numbers[rounds + n] = 0x80000000u >> amount;
      numbers[2 * rounds + n] = 1000 / divisor;
      numbers[3 * rounds + n] = 1000 % divisor;
      amount *= 0xAAAAAAB6; // 3 · 0xAAAAAAB6 = 34
      divisor *= 0x80000000;
    }
  }

  for (var j = 0u; j < 8; j++) {
    loads[at + j] = before[j] + tile[j] * 1000;
    loads[at + 8 + j] = own[j] + local[j] * 100000;
  }
  at += 16;
  for (var j = 0u; j < 32; j++) {
    loads[at + j] = after[j];
  }
}
