#!/usr/bin/env node
import { DevError } from '../errors.ts'
import { run } from './run.ts'

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // A known failure speaks for itself; anything else is a fault of ours and shows where.
    console.error(error instanceof DevError ? error.message : error)
    process.exitCode = 1
  },
)
