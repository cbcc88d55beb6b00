"use strict";

// gpuc itself, away from the page, so that the page stays quick and a kernel that does not end can be stopped.

importScripts("wasm_exec.js");

async function load() {
  const response = await fetch("gpuc.wasm.gz");
  if (!response.ok) throw new Error(`gpuc.wasm.gz cannot be had: ${response.status} ${response.statusText}`);
  const packed = new Uint8Array(await response.arrayBuffer());
  let body = packed; // some servers unpack it themselves
  if (packed[0] === 0x1f && packed[1] === 0x8b) body = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const go = new Go();
  const ready = new Promise((resolve) => (self.gpucReady = resolve));
  const { instance } = await WebAssembly.instantiate(body, go.importObject);
  const ended = go.run(instance).then(() => Promise.reject(new Error("gpuc has ended")));
  await Promise.race([ready, ended]);
}

const loaded = load();
loaded.then(() => postMessage({ ready: true }), (error) => postMessage({ broken: String(error.message || error) }));

onmessage = async ({ data: { id, method, request, data } }) => {
  try {
    await loaded;
    const began = performance.now();
    const [text, ...bytes] = await self.gpuc(method, JSON.stringify(request), data);
    postMessage({ id, answer: JSON.parse(text), data: bytes, milliseconds: performance.now() - began });
  } catch (error) {
    postMessage({ id, failed: String((error && error.message) || error) });
  }
};
