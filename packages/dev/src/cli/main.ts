#!/usr/bin/env node
import { DevError } from '../errors.ts'
import { run } from './run.ts'

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // Known failures have a user message; any other is a bug and shows its stack.
    console.error(error instanceof DevError ? error.message : error)
    process.exitCode = 1
  },
)
