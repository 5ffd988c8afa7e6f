#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { DevError } from '../errors.ts'
import { run } from './run.ts'

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // Known failures have a user message; any other is a bug and shows its stack.
    console.error(error instanceof DevError ? error.message : error)
    process.exitCode = 1
  },
)

async function main(args: readonly string[]): Promise<number> {
  if (args[0] !== '--version') return run(args)
  console.log(readVersion())
  return 0
}

/** Returns the version in this package's package.json. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
