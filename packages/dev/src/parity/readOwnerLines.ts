import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { DevError } from '../errors.ts'

type OwnerLine =
  | { line: number; owners: readonly [Address, ...Address[]] }
  /** What is wrong with the line. */
  | { line: number; problem: string }

/**
 * The owners of a file, a line at a time: the file is never in memory as a whole.
 *
 * @throws `CONFIG_INVALID` when the file cannot be read.
 */
export async function* readOwnerLines(path: string): AsyncGenerator<OwnerLine> {
  const input = createReadStream(path, 'utf8')
  let line = 0
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1
      const read = readLine(line === 1 ? text.replace(/^\uFEFF/, '') : text)
      if (read) yield { line, ...read }
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new DevError(`The owners file ${path} cannot be read (${code}).`, { code: 'CONFIG_INVALID', cause })
  } finally {
    input.destroy()
  }
}

function readLine(text: string): { owners: readonly [Address, ...Address[]] } | { problem: string } | undefined {
  const content = text.replace(/#.*$/, '').trim()
  if (content === '') return undefined
  const parts = content.split(',').map((part) => part.trim())
  for (const part of parts) {
    // A mixed-case address with a wrong checksum is a typing error, and would be another person's account.
    if (!isAddress(part)) return { problem: `${JSON.stringify(part.slice(0, 80))} is no address` }
    if (part === zeroAddress) return { problem: 'the zero address owns nothing' }
  }
  const [first, ...rest] = parts.map((part) => getAddress(part))
  return first && { owners: [first, ...rest] }
}
