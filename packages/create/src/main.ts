#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CreateError } from './CreateError.ts'
import { run } from './run.ts'

// Ctrl-C also reaches the child process, and this process exits when the child has exited.
process.on('SIGINT', () => undefined)

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // Known errors have a message for the user. Other errors are bugs, shown with their stack.
    console.error(error instanceof CreateError ? error.message : error)
    process.exitCode = error instanceof CreateError && error.code === 'CONFIG_INVALID' ? 2 : 1
  },
)

async function main(args: readonly string[]): Promise<number> {
  if (args[0] !== '--version') return run(args)
  console.log(readVersion())
  return 0
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
