import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { CommandError, type Creation } from 'latchkey-exit'
import { getAddress, isAddress, zeroAddress } from 'viem'

type OwnerLine =
  | ({ line: number } & Creation)
  /** Reason why the line is invalid. */
  | { line: number; problem: string }

/**
 * Yields the owners in a file line by line, without reading the whole file into memory.
 *
 * @throws `CONFIG_INVALID` if the file cannot be read.
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
    throw new CommandError(`The owners file ${path} cannot be read (${code}).`, { code: 'CONFIG_INVALID', cause })
  } finally {
    input.destroy()
  }
}

function readLine(text: string): Creation | { problem: string } | undefined {
  const [, content = '', written] = /^(.*?)(?:\bsalt=(\S*))?$/.exec(text.replace(/#.*$/, '').trim()) ?? []
  const salt = readSalt(written)
  if (content === '' && written === undefined) return undefined
  if (salt === undefined) return { problem: `salt=${written?.slice(0, 80)} is not a whole number below 2^256` }
  const parts = content.split(',').map((part) => part.trim())
  for (const part of parts) {
    // A mixed-case address with an invalid checksum contains a typo, so it would belong to somebody else.
    if (!isAddress(part)) return { problem: `${JSON.stringify(part.slice(0, 80))} is not an address` }
    if (part === zeroAddress) return { problem: 'the zero address cannot be an owner' }
  }
  const [first, ...rest] = parts.map((part) => getAddress(part))
  return first && { owners: [first, ...rest], salt }
}

/** Parses a salt in decimal, or in hex after 0x. Returns 0 if it is missing. */
function readSalt(text = '0'): bigint | undefined {
  if (!/^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text)) return undefined
  const salt = BigInt(text)
  return salt < 2n ** 256n ? salt : undefined
}
