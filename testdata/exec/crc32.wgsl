// CRC-32 (IEEE 802.3): each workgroup first computes the table of 256 entries
// in workgroup memory, four per invocation, and then every invocation looks
// bytes up in it.
const size = 64u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> lengths: array<u32>; // bytes of each prefix
@group(0) @binding(2) var<storage, read_write> checksums: array<u32>;

var<workgroup> table: array<u32, 256>;

@compute @workgroup_size(size)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var i = local; i < 256u; i += size) {
    var entry = i;
    for (var bit = 0; bit < 8; bit++) {
      entry = select(entry >> 1u, (entry >> 1u) ^ 0xedb88320u, (entry & 1u) != 0u);
    }
    table[i] = entry;
  }
  workgroupBarrier();
  if id.x >= arrayLength(&lengths) {
    return;
  }
  var crc = ~0u;
  for (var i = 0u; i < lengths[id.x]; i++) {
    let character = extractBits(text[i >> 2u], (i & 3u) << 3u, 8u);
    crc = table[(crc ^ character) & 0xffu] ^ (crc >> 8u);
  }
  checksums[id.x] = ~crc;
}
