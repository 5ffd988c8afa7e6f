import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DevError } from '../errors.ts'

export declare namespace altoProgram {
  type ReturnType = {
    /** Script to run with Node. */
    script: string
    /** The package's package.json. */
    manifest: string
  }
}

/** Where the bundler's command is. It is run as a program of its own and never imported: it is under the GPL. */
export function altoProgram(): altoProgram.ReturnType {
  try {
    const root = dirname(createRequire(import.meta.url).resolve('@pimlico/alto'))
    const program = { script: join(root, 'cli', 'alto.js'), manifest: join(root, '..', 'package.json') }
    if (existsSync(program.script) && existsSync(program.manifest)) return program
  } catch {
    // Said below.
  }
  throw new DevError('The bundler alto is not installed.', { code: 'CHILD_MISSING', hint: 'Run `npm install` again.' })
}
