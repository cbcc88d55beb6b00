"use strict";

// Execution of a kernel on the CPU device and by WebGPU: inputs and results. playground.js has the state.

// Inputs

const fills = { zeros: "zeros", ones: "ones", index: "0, 1, 2, …", random: "random", numbers: "numbers", picture: "a test picture" };

const defaultInput = (b) => ({ count: 1024, fill: b.access === "read_write" ? "zeros" : "index", numbers: "1, 2, 3", shown: "numbers", width: 256, fields: {} });
const defaultTexture = () => ({ size: [256, 256, 1] });

function inputOf(b) {
  return completed(b.name, defaultInput(b));
}
function textureOf(h) {
  return completed(h.name, defaultTexture());
}

// completed returns the input of a name with all members. A variable of another kind may have had the same name.
function completed(name, initial) {
  const input = (state.inputs[name] ??= {});
  for (const member in initial) input[member] ??= initial[member];
  return input;
}

// control returns the form element for a member of an input.
function control(kind, of, member, properties = {}, options) {
  const box = element(kind, properties, ...(options ? Object.entries(options).map(([value, text]) => element("option", { value, textContent: text })) : []));
  box.value = of[member];
  box.addEventListener("change", () => {
    of[member] = box.type === "number" ? Math.max(+box.min || -Infinity, +box.value || 0) : box.value;
    showInputs();
  });
  return box;
}

const hasColours = (layout) => {
  const kinds = layout.row ? layout.row.map((f) => f.kind).join(" ") : "";
  return layout.stride && /^(u32|f32|f32 f32 f32|f32 f32 f32 f32)$/.test(kinds) ? kinds : "";
};

function showInputs() {
  if (!kernel) {
    $("inputs").replaceChildren(element("p", { className: "quiet", textContent: "There is no kernel to run." }));
    return;
  }
  if (kernel.refusal) {
    $("inputs").replaceChildren(element("pre", { className: "said bad", textContent: kernel.refusal }));
    return;
  }
  const sets = [];
  for (const o of kernel.overrides || []) {
    const name = o.name;
    const box = element("input", { type: "number", step: "any", value: state.settings[name] ?? +shown(o.value, o.type), ariaLabel: name });
    box.addEventListener("change", () => {
      state.settings[name] = +box.value;
      look();
    });
    sets.push(element("fieldset", {}, element("legend", { innerHTML: `override ${escapeHTML(name)} <small>${escapeHTML(o.type)}</small>` }), box));
  }
  for (const b of kernel.buffers || []) sets.push(bufferControls(b));
  for (const h of kernel.handles || []) if (h.texture) sets.push(textureControls(h));
  const size = (state.extent ??= ["", "", ""]), auto = automaticExtent();
  sets.push(element("fieldset", {}, element("legend", { innerHTML: `invocations <small>in workgroups of ${kernel.workgroup.join("×")}</small>` }),
    ...[0, 1, 2].map((n) => control("input", size, n, { className: "size", type: "text", inputMode: "numeric", placeholder: auto[n], ariaLabel: "invocations in " + "xyz"[n] }))));
  $("inputs").replaceChildren(...sets);
}

function bufferControls(b) {
  const input = inputOf(b), l = b.layout, parts = [element("legend", { innerHTML: `${escapeHTML(b.name)} <small>${escapeHTML(b.type)}, ${b.access.replace("_", " and ")}</small>` })];
  for (const f of (l.fields || []).slice(0, 16)) {
    const box = element("input", { type: "number", step: "any", value: input.fields[f.name] ?? 0, ariaLabel: b.name + f.name });
    box.addEventListener("change", () => {
      input.fields[f.name] = +box.value;
      showInputs();
    });
    parts.push(element("label", {}, f.name.replace(/^\./, "") + " ", box));
  }
  if (l.stride) {
    if (!l.count) parts.push(element("label", {}, control("input", input, "count", { type: "number", min: 1, max: 1 << 24, ariaLabel: b.name + ": elements" }), " elements"));
    const offered = { ...fills };
    if (!hasColours(l)) delete offered.picture;
    parts.push(control("select", input, "fill", { ariaLabel: b.name + ": contents" }, offered));
    if (input.fill === "numbers") parts.push(control("input", input, "numbers", { className: "numbers", ariaLabel: b.name + ": numbers, again and again" }));
    if (hasColours(l) && (b.access === "read_write" || input.fill === "picture")) {
      if (b.access === "read_write") parts.push(element("label", {}, "shown as ", control("select", input, "shown", { ariaLabel: b.name + ": shown as" }, { numbers: "numbers", picture: "a picture" })));
      if (input.shown === "picture" || input.fill === "picture") parts.push(element("label", {}, "width ", control("input", input, "width", { type: "number", min: 1, max: 4096 })));
    }
  }
  return element("fieldset", {}, ...parts);
}

function textureControls(h) {
  const input = textureOf(h), isRead = h.texture.access !== "write";
  return element("fieldset", {}, element("legend", { innerHTML: `${escapeHTML(h.name)} <small>${escapeHTML(h.type)}${isRead ? ", a test picture" : ""}</small>` }),
    ...[0, 1, 2].map((n) => control("input", input.size, n, { type: "number", min: 1, max: 4096, ariaLabel: `${h.name}: ${["width", "height", "depth or layers"][n]}` })).slice(0, /3d|array/.test(h.type) ? 3 : 2));
}

const rowsOf = (b) => b.layout.count || Math.max(1, Math.min(inputOf(b).count, 1 << 24));

// automaticExtent returns the default number of invocations: one for each written texel or element.
function automaticExtent() {
  const written = (kernel.handles || []).find((h) => h.texture && h.texture.access !== "read");
  if (written) return textureOf(written).size;
  const buffers = (kernel.buffers || []).filter((b) => b.layout.stride);
  const picture = buffers.find((b) => b.access === "read_write" && inputOf(b).shown === "picture" && hasColours(b.layout));
  if (picture && kernel.workgroup[1] > 1) return [inputOf(picture).width, Math.ceil(rowsOf(picture) / inputOf(picture).width), 1];
  return [Math.max(1, ...buffers.filter((b) => b.access === "read_write").map(rowsOf)), 1, 1];
}

function gridOf() {
  const auto = automaticExtent();
  return kernel.workgroup.map((w, n) => Math.max(1, Math.ceil((parseInt(state.extent[n], 10) || auto[n]) / w)));
}

// Numbers in memory, little-endian

function halfOf(x) {
  const f = new Float32Array([x]), bits = new Uint32Array(f.buffer)[0], sign = (bits >>> 16) & 0x8000;
  const e = ((bits >>> 23) & 0xff) - 112, m = bits & 0x7fffff;
  if (e >= 31) return sign | ((bits & 0x7fffffff) > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (e <= 0) return e < -10 ? sign : sign | ((m | 0x800000) >> (14 - e));
  return (sign | (e << 10) | (m >> 13)) + ((m >> 12) & 1);
}
function ofHalf(h) {
  const e = (h >> 10) & 31, m = h & 1023, sign = h & 0x8000 ? -1 : 1;
  return sign * (e === 0 ? m * 2 ** -24 : e === 31 ? (m ? NaN : Infinity) : (1 + m / 1024) * 2 ** (e - 15));
}
const kinds = {
  f32: { put: (v, at, x) => v.setFloat32(at, x, true), get: (v, at) => v.getFloat32(at, true) },
  f16: { put: (v, at, x) => v.setUint16(at, halfOf(x), true), get: (v, at) => ofHalf(v.getUint16(at, true)) },
  f64: { put: (v, at, x) => v.setFloat64(at, x, true), get: (v, at) => v.getFloat64(at, true) },
  u32: { put: (v, at, x) => v.setUint32(at, x, true), get: (v, at) => v.getUint32(at, true) },
  i32: { put: (v, at, x) => v.setInt32(at, x, true), get: (v, at) => v.getInt32(at, true) },
  u64: { put: (v, at, x) => v.setBigUint64(at, BigInt(Math.trunc(x)), true), get: (v, at) => v.getBigUint64(at, true) },
  i64: { put: (v, at, x) => v.setBigInt64(at, BigInt(Math.trunc(x)), true), get: (v, at) => v.getBigInt64(at, true) },
};

// testPicture returns a test image: a gradient with shapes, in bytes of red, green, blue and alpha.
function testPicture(width, height) {
  const out = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const u = x / width, v = y / height, at = 4 * (y * width + x);
      let colour = [70 + 150 * u, 110 + 60 * v, 190 - 120 * u];
      if ((u - 0.3) ** 2 + (v - 0.4) ** 2 < 0.04) colour = [240, 200, 60];
      if (Math.abs(u - 0.68) < 0.16 && Math.abs(v - 0.6) < 0.2) colour = (Math.floor(u * 24) + Math.floor(v * 24)) % 2 ? [245, 245, 245] : [30, 34, 60];
      if (Math.abs(u + v - 1.62) < 0.02) colour = [210, 60, 70];
      out.set([...colour.map(Math.round), 255], at);
    }
  }
  return out;
}

// random returns a generator of a deterministic sequence (xorshift), from 0 to 1.
function random() {
  let x = 2463534242;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  };
}

// contentsOf returns the bytes of a buffer.
function contentsOf(b) {
  const input = inputOf(b), l = b.layout, rows = l.stride ? rowsOf(b) : 0;
  const bytes = new Uint8Array(Math.ceil(Math.max(b.size + (b.stride || 0), l.rows + rows * l.stride, 4) / 4) * 4), view = new DataView(bytes.buffer);
  for (const f of l.fields || []) if (kinds[f.kind]) kinds[f.kind].put(view, f.offset, input.fields[f.name] ?? 0);
  if (!l.stride || input.fill === "zeros") return bytes;
  const next = random(), numbers = (input.numbers.match(/[-+.\deE]+/g) || [0]).map(Number);
  const colours = input.fill === "picture" && hasColours(l), picture = colours && testPicture(input.width, Math.ceil(rows / input.width));
  for (let n = 0, k = 0; n < rows; n++) {
    const at = l.rows + n * l.stride;
    l.row.forEach((f, c) => {
      const kind = kinds[f.kind];
      if (!kind) return;
      let x = 0;
      if (colours === "u32") x = new DataView(picture.buffer).getUint32(4 * n, true);
      else if (colours === "f32") x = (0.2126 * picture[4 * n] + 0.7152 * picture[4 * n + 1] + 0.0722 * picture[4 * n + 2]) / 255;
      else if (colours) x = picture[4 * n + c] / 255;
      else if (input.fill === "ones") x = 1;
      else if (input.fill === "index") x = n;
      else if (input.fill === "random") x = f.kind[0] === "f" ? next() : Math.floor(next() * 1000);
      else x = numbers[k++ % numbers.length];
      kind.put(view, at + f.offset, x);
    });
  }
  return bytes;
}

// Running

function dataOf() {
  const data = (kernel.buffers || []).map(contentsOf);
  for (const h of kernel.handles || []) {
    const size = h.texture && textureOf(h).size;
    data.push(h.texture && h.texture.access !== "write" ? testPicture(size[0], size[1]) : new Uint8Array(0));
  }
  return data;
}

async function run() {
  if (!kernel || $("run").disabled) return;
  const on = $("device").value;
  $("run").disabled = true;
  $("stop").hidden = false;
  $("results").replaceChildren(element("p", { className: "quiet", textContent: "It is running …" }));
  panes.activate(panes.list.find((p) => p.title === "Run"));
  try {
    const launch = { grid: gridOf(), data: dataOf(), began: performance.now() };
    const ran = on === "webgpu" ? await runOnWebGPU(launch) : await runOnCPU(launch, on);
    await showResults(ran);
  } catch (error) {
    $("results").replaceChildren(element("pre", { className: "said bad", textContent: error.message }));
  }
  $("stop").hidden = true;
  $("run").disabled = false;
}

async function runOnCPU(launch, device) {
  const sizes = (kernel.handles || []).map((h) => (h.texture ? textureOf(h).size : [1, 1, 1]));
  const request = { ...requestOf(), entry: kernel.name, device, grid: launch.grid, sizes };
  const { answer, data, milliseconds } = await compiler.ask("run", request, launch.data);
  return { ...answer, data, milliseconds, on: device === "cpu" ? "gpuc’s CPU device, in this browser" : "the checked CPU device, in this browser" };
}

// runOnWebGPU runs the WGSL output of gpuc.
async function runOnWebGPU(launch) {
  if (!navigator.gpu) throw new Error("This browser has no WebGPU, or not on this page: it takes a secure address (https, or localhost). gpuc’s CPU device runs the kernel without.");
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("This browser has WebGPU, and no adapter for it: its GPU is off or not supported. gpuc’s CPU device runs the kernel without.");
  const target = looked.exploration.kernels.find((k) => k.name === kernel.name).targets.find((t) => t.title === "wgsl");
  if (target.code < 0) throw new Error(target.refusal);
  if (kernel.immediates) throw new Error("WebGPU in browsers has no immediates yet, which this kernel takes.");
  const code = looked.exploration.texts[target.code].text;
  const wanted = { f16: "shader-f16", subgroups: "subgroups" };
  const features = Object.entries(wanted).filter(([word]) => new RegExp(`^enable.*\\b${word}\\b`, "m").test(code)).map(([, feature]) => feature);
  const missing = features.filter((f) => !adapter.features.has(f));
  if (missing.length) throw new Error(`This kernel takes ${missing.join(" and ")}, which the adapter of this browser does not have.`);
  const device = await adapter.requestDevice({ requiredFeatures: features });
  try {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: kernel.name } });
    const groups = new Map(), kept = [];
    const bind = (r, resource) => groups.set(r.group, [...(groups.get(r.group) || []), { binding: r.binding, resource }]);
    (kernel.buffers || []).forEach((b, n) => {
      const isUniform = b.access === "uniform", size = isUniform ? Math.ceil(launch.data[n].length / 16) * 16 : launch.data[n].length;
      const buffer = device.createBuffer({ size, usage: (isUniform ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE) | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, launch.data[n]);
      bind(b, { buffer });
      if (b.access === "read_write") kept.push({ n, buffer, size });
    });
    const formats = [];
    for (const [k, h] of (kernel.handles || []).entries()) {
      const n = (kernel.buffers || []).length + k;
      formats.push("");
      if (!h.texture) {
        bind(h, device.createSampler({ minFilter: "linear", magFilter: "linear", mipmapFilter: "linear", ...(h.comparison ? { compare: "less" } : {}) }));
        continue;
      }
      const isStorage = Boolean(h.texture.format), [width, height] = textureOf(h).size, format = h.texture.format || { u32: "rgba8uint", i32: "rgba8sint" }[h.texture.channel] || "rgba8unorm";
      if (!/_2d$|_2d</.test(h.type)) throw new Error(`The playground binds textures of two dimensions on WebGPU, and \`${h.name}\` is ${h.type}.`);
      const texture = device.createTexture({ size: [width, height], format, usage: (isStorage ? GPUTextureUsage.STORAGE_BINDING : GPUTextureUsage.TEXTURE_BINDING) | GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST });
      if (launch.data[n].length) {
        const { data } = await compiler.ask("texels", { source: format, grid: [width * height, 1, 1] }, [launch.data[n]]);
        device.queue.writeTexture({ texture }, data[0], { bytesPerRow: data[0].length / height }, [width, height]);
      }
      bind(h, texture.createView());
      if (h.texture.access !== "read") {
        formats[k] = format;
        kept.push({ n, texture, width, height, format });
      }
    }
    const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [n, entries] of groups) pass.setBindGroup(n, device.createBindGroup({ layout: pipeline.getBindGroupLayout(n), entries }));
    pass.dispatchWorkgroups(...launch.grid);
    pass.end();
    for (const k of kept) {
      if (k.texture) {
        const [{ data }] = [await compiler.ask("texels", { source: k.format, grid: [1, 1, 1] }, [new Uint8Array(4)])];
        k.row = k.width * data[0].length;
        k.pitch = Math.ceil(k.row / 256) * 256;
        k.size = k.pitch * k.height;
      }
      k.read = device.createBuffer({ size: k.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      if (k.texture) commands.copyTextureToBuffer({ texture: k.texture }, { buffer: k.read, bytesPerRow: k.pitch }, [k.width, k.height]);
      else commands.copyBufferToBuffer(k.buffer, 0, k.read, 0, k.size);
    }
    device.queue.submit([commands.finish()]);
    const data = launch.data.map(() => null);
    for (const k of kept) {
      await k.read.mapAsync(GPUMapMode.READ);
      const bytes = new Uint8Array(k.read.getMappedRange()).slice();
      data[k.n] = bytes;
      if (k.texture) {
        data[k.n] = new Uint8Array(k.row * k.height);
        for (let y = 0; y < k.height; y++) data[k.n].set(bytes.subarray(y * k.pitch, y * k.pitch + k.row), y * k.row);
      }
    }
    const wrong = await device.popErrorScope();
    const { vendor, architecture, description } = adapter.info || {};
    return { problem: wrong ? wrong.message : "", formats, data, milliseconds: performance.now() - launch.began, on: "WebGPU, " + (description || [vendor, architecture].filter(Boolean).join(" ") || "an adapter without a name") };
  } finally {
    device.destroy();
  }
}

// Results

async function showResults(ran) {
  const out = [element("p", { className: "quiet", textContent: `${kernel.name} on ${ran.on}: ${ran.milliseconds < 10 ? ran.milliseconds.toFixed(1) : Math.round(ran.milliseconds)} ms, compiling and copying included` })];
  if (ran.diagnostics && ran.diagnostics.length) {
    editor.problems = [...((looked && looked.diagnostics) || []), ...ran.diagnostics];
    editor.draw();
    panes.relight();
    out.push(...ran.diagnostics.map(problem));
  } else if (ran.problem) {
    out.push(element("pre", { className: "said bad", textContent: ran.problem }));
  }
  if (ran.messages) out.push(element("pre", { className: "said", textContent: ran.messages }));
  const buffers = kernel.buffers || [];
  for (const [n, b] of buffers.entries()) if (ran.data && ran.data[n]) out.push(bufferResult(b, ran.data[n]));
  for (const [k, h] of (kernel.handles || []).entries()) {
    const texels = ran.data && ran.data[buffers.length + k];
    if (!texels) continue;
    const { data } = await compiler.ask("picture", { source: ran.formats[k] }, [texels]);
    const [width, height] = textureOf(h).size;
    out.push(element("div", { className: "results" }, element("h3", { innerHTML: `${escapeHTML(h.name)} <small>${escapeHTML(h.type)}, ${width}×${height}</small>` }), canvasOf(data[0], width, height)));
  }
  $("results").replaceChildren(...out);
}

function canvasOf(picture, width, height) {
  const canvas = element("canvas", { width, height });
  const pixels = new Uint8ClampedArray(4 * width * height);
  pixels.set(picture.subarray(0, pixels.length));
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `a picture of ${width} by ${height}`);
  return canvas;
}

function bufferResult(b, bytes) {
  const input = inputOf(b), l = b.layout, view = new DataView(bytes.buffer, bytes.byteOffset), rows = l.stride ? Math.floor((bytes.length - l.rows) / l.stride) : 0;
  const box = element("div", { className: "results" }, element("h3", { innerHTML: `${escapeHTML(b.name)} <small>${escapeHTML(b.type)}${rows ? `, ${rows} elements` : ""}</small>` }));
  const colours = hasColours(l);
  if (input.shown === "picture" && colours) {
    const width = Math.max(1, input.width), height = Math.ceil(rows / width);
    const picture = new Uint8Array(4 * width * height);
    for (let n = 0; n < rows; n++) {
      const at = l.rows + n * l.stride;
      if (colours === "u32") picture.set(bytes.subarray(at, at + 4), 4 * n);
      else for (let c = 0; c < 4; c++) {
        const f = colours === "f32" ? (c < 3 ? l.row[0] : null) : l.row[c];
        picture[4 * n + c] = f ? Math.round(255 * Math.min(1, Math.max(0, view.getFloat32(at + f.offset, true) || 0))) : 255;
      }
    }
    box.append(canvasOf(picture, width, height));
    return box;
  }
  const text = (f, at) => (kinds[f.kind] ? shown(kinds[f.kind].get(view, at + f.offset), f.kind) : "?");
  for (const f of l.fields || []) box.append(element("div", {}, element("code", { textContent: `${f.name.replace(/^\./, "") || b.name} = ${text(f, 0)}` })));
  if (!rows) return box;
  const most = 256, table = element("table");
  if (l.row.length === 1) {
    for (let n = 0; n < Math.min(rows, most); n += 8) {
      table.append(element("tr", {}, element("th", { textContent: n, scope: "row" }), ...Array.from({ length: Math.min(8, rows - n) }, (_, k) => element("td", { textContent: text(l.row[0], l.rows + (n + k) * l.stride) }))));
    }
  } else {
    const fields = l.row.slice(0, 16);
    table.append(element("tr", {}, element("th"), ...fields.map((f) => element("th", { textContent: f.name.replace(/^\./, ""), scope: "col" }))));
    for (let n = 0; n < Math.min(rows, most); n++) table.append(element("tr", {}, element("th", { textContent: n, scope: "row" }), ...fields.map((f) => element("td", { textContent: text(f, l.rows + n * l.stride) }))));
  }
  box.append(table);
  if (rows > most) box.append(element("p", { className: "quiet", textContent: `and ${rows - most} more` }));
  return box;
}

// shown formats a number with the precision of its kind.
function shown(x, kind) {
  if (typeof x === "bigint" || kind[0] !== "f") return String(x);
  return String(kind === "f64" ? x : Number(x.toPrecision(kind === "f16" ? 4 : 7)));
}
