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

/** Locates the bundler's command. It runs as a separate program and is never imported: it is under the GPL. */
export function altoProgram(): altoProgram.ReturnType {
  try {
    const root = dirname(createRequire(import.meta.url).resolve('@pimlico/alto'))
    const program = { script: join(root, 'cli', 'alto.js'), manifest: join(root, '..', 'package.json') }
    if (existsSync(program.script) && existsSync(program.manifest)) return program
  } catch {}
  throw new DevError('The bundler alto is not installed.', { code: 'CHILD_MISSING', hint: 'Run `npm install` again.' })
}
