#!/usr/bin/env node
import { run } from './run.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

process.exitCode = await run({
  arguments: process.argv.slice(2),
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  printError: (text) => process.stderr.write(`${text}\n`),
  stop: stop.signal,
})
