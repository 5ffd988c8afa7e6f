import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DevError } from '../errors.ts'

/**
 * Path of anvil's own binary. The `anvil` command npm installs is a Node script around it that costs some 150 ms a
 * start and a process in between that signals would have to pass.
 */
export function anvilProgram(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}`
  try {
    // The platform packages are optional dependencies of `@foundry-rs/anvil`, so they are looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    const manifest = createRequire(wrapper).resolve(`${name}/package.json`)
    const program = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
    if (existsSync(program)) return program
  } catch {
    // Said below.
  }
  throw new DevError(`The test node anvil is not installed for ${process.platform} ${process.arch} (${name}).`, {
    code: 'CHILD_MISSING',
    hint: 'Run `npm install` without `--omit=optional`.',
  })
}
