#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createPrompt } from './createPrompt.ts'
import { run } from './run.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const args = process.argv.slice(2)
if (args[0] === '--version') console.log(readVersion())
else {
  const prompt = createPrompt(process)
  process.exitCode = await run({
    arguments: args,
    environment: process.env,
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    stop: stop.signal,
    ask: process.stdin.isTTY && process.stdout.isTTY ? prompt.ask : undefined,
    // SIGHUP ends a command that does not listen for it, which is the default for programs.
    onHangup(listener) {
      process.on('SIGHUP', listener)
      return () => process.off('SIGHUP', listener)
    },
  })
  prompt.close()
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
