// A second opinion on what generated programs mean: runs cases of package difftest through Dawn
// (Tint, from the npm package "webgpu") and compares the buffers with those that difftest's
// evaluator expects. It wants Node 20 and nothing in this repository:
//
//   go run ./internal/difftest/run -count 3000 -write cases.json
//   (cd FOLDER && npm install webgpu)
//   NODE_TOOLS=FOLDER node internal/difftest/dawn/run.mjs [-robust] cases.json...
//
// A line names each program that differs, is refused or ends the process, another counts each 500
// that ran; totals end the output.
// Cases that rely on gpuc's choice for accesses outside of arrays (clamped, stores dropped) run
// with -robust only and are counted apart, as Dawn may choose otherwise. DAWN_FLAGS holds flags of
// the package, separated by ";". The exit status is 0 if all else that ran is right, 1 if not, 2 if
// it cannot run.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Programs run in a process of their own, which hangs or crashes instead of this one.
const silence = 60_000; // milliseconds that one program may take

const never = new Int32Array(new SharedArrayBuffer(4)); // does not change: waiting for it is a rest

// The features of a device that extensions of WGSL need.
const features = { f16: 'shader-f16', subgroups: 'subgroups' };

const flags = process.argv.slice(2).filter(word => word.startsWith('-'));
const files = process.argv.slice(2).filter(word => !word.startsWith('-'));
if (process.send) await work();
else await parent();

async function parent() {
  if (files.length === 0 || flags.some(word => word !== '-robust')) fail('usage: run.mjs [-robust] FILE...');
  const totals = {
    plain: { right: 0, wrong: 0, refused: 0, crashed: 0 },
    robust: { right: 0, wrong: 0, refused: 0, crashed: 0 },
    ran: 0,
    skipped: {}, // by reason
  };
  for (const file of files) {
    const cases = read(file);
    for (let next = 0; next < cases.length;) next = await processOf(file, cases, next, totals);
  }
  const count = t => `${t.right} right, ${t.wrong} wrong, ${t.refused} refused, ${t.crashed} crashed`;
  console.log(count(totals.plain));
  if (flags.includes('-robust')) console.log(`with accesses outside of arrays: ${count(totals.robust)}`);
  for (const [why, n] of Object.entries(totals.skipped)) console.log(`${n} skipped: ${why}`);
  process.exit(totals.plain.wrong + totals.plain.refused + totals.plain.crashed > 0 ? 1 : 0);
}

// processOf runs a file's cases from first on until the process ends, and returns the index after
// the last one that ran.
function processOf(file, cases, first, totals) {
  return new Promise(resolve => {
    // Dawn prints warnings about programs to stdout, which is for the verdicts alone.
    const child = fork(fileURLToPath(import.meta.url), [...flags, file, String(first)],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let next = first;
    let silent = false;
    let watchdog;
    const wait = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => { silent = true; child.kill('SIGKILL'); }, silence);
    };
    wait();
    const add = (verdict, message) => {
      const { name, robust } = cases[next++];
      if (verdict === 'skipped') {
        totals.skipped[message] = (totals.skipped[message] ?? 0) + 1;
        return;
      }
      totals[robust ? 'robust' : 'plain'][verdict]++;
      if (++totals.ran % 500 === 0) console.log(`${totals.ran} programs`);
      if (verdict !== 'right') console.log(`${name}  ${robust ? 'robust  ' : ''}${verdict}  ${message}`);
    };
    child.on('message', ({ verdict, message }) => {
      wait();
      if (verdict) add(verdict, message);
      else if (first === 0) console.log(message);
    });
    child.on('close', (code, signal) => {
      clearTimeout(watchdog);
      if (code === 1 || code === 2) process.exit(2); // an exception or fail, which have said why
      if (next < cases.length) add('crashed', silent ? `no answer for ${silence / 1000} s` : `the process ended: ${signal ?? code}`);
      resolve(next);
    });
  });
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (e) {
    return fail(`${file}: ${e.message}`);
  }
}

function fail(message) {
  console.error(`run.mjs: ${message}`);
  process.exit(2);
}

// work runs the cases of a file from an index on and sends a verdict for each.
async function work() {
  process.on('disconnect', () => process.exit(0)); // nobody wants to know any more
  const [file, first] = files;
  const cases = read(file);
  const gpu = await dawn();
  const adapter = await gpu.requestAdapter();
  if (!adapter) fail('expected an adapter, found none');
  const device = await deviceOf(adapter);
  const send = message => new Promise(sent => process.send(message, sent));
  await send({ message: `${file} on ${adapter.info.description || adapter.info.device || adapter.info.vendor}` });
  for (const c of cases.slice(Number(first))) {
    const missing = lacks(gpu, device, c);
    await send(missing ? { verdict: 'skipped', message: missing } : await judge(device, c));
  }
  process.exit(0);
}

async function dawn() {
  const tools = process.env.NODE_TOOLS;
  const way = 'in a folder outside of the repository, run "npm install webgpu" and set NODE_TOOLS to that folder';
  if (!tools) fail(`expected a folder with the package webgpu in NODE_TOOLS: ${way}`);
  let found;
  try {
    found = createRequire(path.resolve(tools, 'package.json')).resolve('webgpu');
  } catch {
    fail(`expected the package webgpu in ${tools}: ${way}`);
  }
  const { create, globals } = await import(pathToFileURL(found));
  Object.assign(globalThis, globals);
  return create((process.env.DAWN_FLAGS ?? 'backend=vulkan').split(';').filter(Boolean));
}

// deviceOf makes a device with all that the adapter has and programs may want.
async function deviceOf(adapter) {
  const requiredFeatures = Object.values(features).filter(name => adapter.features.has(name));
  const requiredLimits = {};
  for (const name in adapter.limits) {
    if (typeof adapter.limits[name] === 'number') requiredLimits[name] = adapter.limits[name];
  }
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
  device.onuncapturederror = () => {}; // what programs cause is caught by judge's scopes
  device.lost.then(() => process.exit(3)); // the program's fault: another process runs the next ones
  return device;
}

// lacks says why a case is not run, or nothing.
function lacks(gpu, device, c) {
  if (c.robust && !flags.includes('-robust')) return 'relies on accesses outside of arrays (-robust runs it)';
  for (const [, list] of c.code.matchAll(/^\s*enable\s+([^;]*);/gm)) {
    for (const name of list.split(',').map(word => word.trim())) {
      if (features[name] && !device.features.has(features[name])) return `the device has no ${features[name]}`;
    }
  }
  if (c.immediates?.length && !gpu.wgslLanguageFeatures.has('immediate_address_space')) return 'Dawn has no immediates';
}

async function judge(device, c) {
  const scopes = ['internal', 'out-of-memory', 'validation'];
  for (const scope of scopes) device.pushErrorScope(scope);
  const made = [];
  let read, thrown;
  try {
    read = submit(device, c, made);
  } catch (e) {
    thrown = e.message;
  }
  let waiting = true;
  // Dawn asks in every iteration of the event loop whether the device is done, and takes a core from it.
  const rest = () => {
    Atomics.wait(never, 0, 0, 1);
    if (waiting) setImmediate(rest);
  };
  rest();
  const errors = await Promise.all(scopes.map(() => device.popErrorScope()));
  try {
    const refused = thrown ?? errors.find(Boolean)?.message;
    if (refused !== undefined) return { verdict: 'refused', message: firstError(refused) };
    for (const { b, staging, rows } of read) {
      await staging.mapAsync(GPUMapMode.READ);
      const found = Buffer.from(staging.getMappedRange());
      const message = difference(b, rows ? Buffer.concat(rows.map(([at, size]) => found.subarray(at, at + size))) : found);
      staging.unmap();
      if (message) return { verdict: 'wrong', message };
    }
    return { verdict: 'right' };
  } catch (e) {
    return { verdict: 'refused', message: firstError(e.message) };
  } finally {
    waiting = false;
    for (const buffer of made) buffer.destroy();
  }
}

// firstError is the line of a message that says what is wrong.
function firstError(message) {
  const lines = message.split('\n');
  return lines.find(line => /error:/.test(line)) ?? lines[0];
}

// submit enqueues a case, puts the buffers that it creates into made, and returns those to be read
// with their bindings.
function submit(device, c, made) {
  const buffer = (size, usage) => {
    const b = device.createBuffer({ size, usage });
    made.push(b);
    return b;
  };
  const module = device.createShaderModule({ code: c.code });
  const groups = [];
  const read = [];
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const copies = []; // what is enqueued behind the dispatch
  for (const b of c.bindings) {
    const group = (groups[b.group] ??= { layout: [], entries: [] });
    if (b.texture) {
      const { resource, entry, levels } = texture(device, b, made);
      group.layout.push({ binding: b.binding, visibility: GPUShaderStage.COMPUTE, ...entry });
      group.entries.push({ binding: b.binding, resource: resource.createView({ dimension: b.texture.dimension }) });
      const rows = levels.flatMap(level => level.rows);
      const staging = buffer(levels.at(-1).end, MAP_READ | COPY_DST);
      for (const { level, from, pitch, size } of levels) {
        copies.push(encoder => encoder.copyTextureToBuffer({ texture: resource, mipLevel: level },
          { buffer: staging, offset: from, bytesPerRow: pitch, rowsPerImage: size[1] }, size));
      }
      read.push({ b, staging, rows });
      continue;
    }
    const data = bytes(b.data);
    const resource = buffer(data.length, COPY_SRC | COPY_DST | (b.kind === 'uniform' ? UNIFORM : STORAGE));
    device.queue.writeBuffer(resource, 0, data);
    group.layout.push({ binding: b.binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: b.kind } });
    group.entries.push({ binding: b.binding, resource: { buffer: resource } });
    const staging = buffer(data.length, MAP_READ | COPY_DST);
    copies.push(encoder => encoder.copyBufferToBuffer(resource, 0, staging, 0, staging.size));
    read.push({ b, staging });
  }
  // Bindings that the entry point does not use are in an explicit layout only.
  const layouts = Array.from(groups, g => device.createBindGroupLayout({ entries: g?.layout ?? [] }));
  const immediates = bytes(c.immediates);
  const layout = device.createPipelineLayout({ bindGroupLayouts: layouts, immediateSize: immediates.length });
  const compute = { module, entryPoint: c.entry, constants: c.constants };
  const pipeline = device.createComputePipeline({ layout, compute });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  layouts.forEach((layout, index) => {
    pass.setBindGroup(index, device.createBindGroup({ layout, entries: groups[index]?.entries ?? [] }));
  });
  if (immediates.length) pass.setImmediates(0, immediates);
  pass.dispatchWorkgroups(...c.dispatch);
  pass.end();
  for (const copy of copies) copy(encoder);
  device.queue.submit([encoder.finish()]);
  return read;
}

// texture makes a binding's texture with its contents, puts it into made, and says how it is bound
// and where its levels and their rows go in a buffer, whose rows are further apart than its own.
function texture(device, b, made) {
  const { dimension, format, access, sample, size, levels: count } = b.texture;
  const { TEXTURE_BINDING, STORAGE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
  const resource = device.createTexture({ size, format, mipLevelCount: count, dimension: dimension.slice(0, 2),
    usage: (access ? STORAGE_BINDING : TEXTURE_BINDING) | COPY_SRC | COPY_DST });
  made.push(resource);
  const entry = access
    ? { storageTexture: { access, format, viewDimension: dimension } }
    : { texture: { sampleType: sample, viewDimension: dimension } };
  const data = Buffer.from(b.data, 'base64');
  const levels = [];
  let at = 0; // in data
  let end = 0; // in the buffer
  for (let level = 0; level < count; level++) {
    const small = (n, axis) => (axis === 2 && dimension !== '3d' ? n : Math.max(1, n >> level));
    const [width, height, depth] = size.map(small);
    const row = width * b.stride;
    const pitch = Math.ceil(row / 256) * 256;
    const from = end;
    const bytesOf = row * height * depth;
    device.queue.writeTexture({ texture: resource, mipLevel: level }, data.subarray(at, at + bytesOf),
      { bytesPerRow: row, rowsPerImage: height }, [width, height, depth]);
    at += bytesOf;
    const rows = [];
    for (let n = 0; n < height * depth; n++, end += pitch) rows.push([end, row]);
    levels.push({ level, from, pitch, rows, end, size: [width, height, depth] });
  }
  return { resource, entry, levels };
}

// bytes decodes base64. WebGPU copies and binds whole words.
function bytes(text) {
  const data = Buffer.from(text ?? '', 'base64');
  return Buffer.concat([data, Buffer.alloc(-data.length & 3)]);
}

// difference says where a buffer differs from what is expected, as Binding.compare of package
// difftest does: zeros of floats are alike whatever their signs.
function difference(b, got) {
  const want = Buffer.from(b.want, 'base64');
  for (let i = 0; i < want.length; i++) {
    if (got[i] === want[i] || alike(b, want, got, i)) continue;
    const at = i & ~3;
    const hex = data => data.subarray(at, Math.min(at + 4, want.length)).toString('hex');
    return `${b.name}: byte ${at}: expected ${hex(want)}, found ${hex(got)}`;
  }
}

// alike says whether byte i belongs to a float that is zero on both sides, or within the tolerance.
function alike(b, want, got, i) {
  if (!b.stride || i >= b.stride * b.count) return false;
  const start = i - i % b.stride;
  for (const [offset, letter] of b.floats ?? []) {
    const at = start + offset;
    const end = at + (letter === 'h' ? 2 : 4);
    if (at > i || i >= end) continue;
    const [x, y] = [want, got].map(data => (letter === 'h' ? half(data.readUInt16LE(at)) : data.readFloatLE(at)));
    if (x === 0 && y === 0) return true;
    return b.tolerance > 0 && (Object.is(x, y) || Math.abs(x - y) <= b.tolerance * Math.max(1, Math.abs(x), Math.abs(y)));
  }
  return false;
}

// half is the value of the bits of an f16.
function half(bits) {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}
