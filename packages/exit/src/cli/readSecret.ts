import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { LocalAccount } from 'viem'
import { CommandError } from '../errors.ts'
import { readKey } from '../secret.ts'

/**
 * Reads the account of a secret: from a file, a terminal prompt, or the first line of standard input.
 *
 * @throws `CONFIG_INVALID`
 */
export async function readSecret(path: string | undefined): Promise<LocalAccount> {
  return readKey(path === undefined ? await readInput() : readText(path))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new CommandError(`${path} cannot be read.`, { code: 'CONFIG_INVALID' })
  }
}

function readInput(): Promise<string> {
  const { stdin } = process
  const isTerminal = stdin.isTTY === true
  if (isTerminal) process.stderr.write("The owner's key or recovery phrase (it is not shown): ")
  // Input is not echoed.
  const output = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: stdin, output, terminal: isTerminal })
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n')
      resolve('')
    })
  })
}
