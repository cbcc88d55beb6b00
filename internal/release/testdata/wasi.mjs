// Runs a program of wasip1 whose only folder is the current one: node wasi.mjs PROGRAM ARGUMENT…
import { readFileSync } from 'node:fs'
import { WASI } from 'node:wasi'

const [program, ...more] = process.argv.slice(2)
const wasi = new WASI({ version: 'preview1', args: ['gpuc', ...more], env: {}, preopens: { '/': process.cwd() } })
const { instance } = await WebAssembly.instantiate(readFileSync(program), wasi.getImportObject())
process.exit(wasi.start(instance))
