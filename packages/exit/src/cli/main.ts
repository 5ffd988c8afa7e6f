#!/usr/bin/env node
import { runExit } from './runExit.ts'

process.exitCode = await runExit(process.argv.slice(2), 'latchkey-exit')
