#!/usr/bin/env node
const usage = `Usage: latchkey-migrate codemod account-kit FOLDER [options]
       latchkey-migrate parity --owners FILE [options]

  codemod --help   moves an Account Kit app to latchkey
  parity --help    addresses of accounts, recomputed offline and compared with a chain`

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
  const isHelp = command === '--help'
  if (isHelp) console.log(usage)
  else console.error(`${command === undefined ? 'A command is missing.' : `Unknown command '${command}'`}\n\n${usage}`)
  return isHelp ? 0 : 2
}
