#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { nearest } from 'latchkey-protocol/commandLine'

const usage = `Usage: latchkey-migrate codemod account-kit FOLDER [options]
       latchkey-migrate parity --owners FILE [options]

  codemod --help   migrate an Account Kit app to Latchkey
  parity --help    compute account addresses offline and compare them with a chain
  --version        print the version`

const [command, ...args] = process.argv.slice(2)

process.exitCode = await run()

async function run(): Promise<number> {
  if (command === 'codemod') {
    const { runCodemod } = await import('../codemod/runCodemod.ts')
    return runCodemod(args, 'latchkey-migrate codemod')
  }
  if (command === 'parity') {
    const { runParity } = await import('../parity/runParity.ts')
    return runParity(args, 'latchkey-migrate parity')
  }
  if (command === '--version') {
    console.log(readVersion())
    return 0
  }
  const isHelp = command === '--help'
  if (isHelp) console.log(usage)
  else console.error(`${command === undefined ? 'A command is missing.' : describeUnknown(command)}\n\n${usage}`)
  return isHelp ? 0 : 2
}

function describeUnknown(word: string): string {
  const found = nearest(word, ['codemod', 'parity', '--help', '--version'])
  return `Unknown command '${word}'${found ? `. Did you mean ${found}?` : ''}`
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
