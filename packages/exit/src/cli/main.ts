#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { runExit } from './runExit.ts'

const args = process.argv.slice(2)
if (args[0] === '--version') console.log(readVersion())
else process.exitCode = await runExit(args, 'latchkey-exit')

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
