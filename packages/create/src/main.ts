#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CreateError } from './CreateError.ts'
import { run } from './run.ts'

// Ctrl-C also reaches the child process; this process exits when the child does.
process.on('SIGINT', () => undefined)

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // A known failure has a message for the user; any other is a bug and shows its stack.
    console.error(error instanceof CreateError ? error.message : error)
    process.exitCode = error instanceof CreateError && error.code === 'CONFIG_INVALID' ? 2 : 1
  },
)

async function main(args: readonly string[]): Promise<number> {
  if (args[0] !== '--version') return run(args)
  console.log(readVersion())
  return 0
}

/** Returns the version in this package's package.json. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
