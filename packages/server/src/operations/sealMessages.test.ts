import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { openMessages, sealMessages } from './sealMessages.ts'

const { publicKey, privateKey } = createApiKeyPair()
const messages = [Buffer.from('first'), randomBytes(20_000), Buffer.alloc(0), Buffer.from('last')]

async function* each<item>(items: Iterable<item>): AsyncGenerator<item, void> {
  yield* items
}

async function seal(key = publicKey): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of sealMessages(key, each(messages))) parts.push(part)
  return Buffer.concat(parts)
}

async function open(bytes: Buffer, step = 65_536, key = privateKey): Promise<Buffer[]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) =>
    bytes.subarray(at * step, (at + 1) * step),
  )
  const opened: Buffer[] = []
  for await (const message of openMessages(key, each(pieces))) opened.push(Buffer.from(message))
  return opened
}

test('opens messages however the bytes arrive', async () => {
  const sealed = await seal()
  for (const step of [997, 65_536, sealed.length]) {
    const opened = await open(sealed, step)
    expect(opened.map((message, at) => messages[at]?.equals(message))).toEqual([true, true, true, true])
  }
  expect(sealed.includes('first')).toBe(false)
  expect((await seal()).equals(sealed)).toBe(false)
})

test('refuses changed, missing, moved, repeated and cut messages, and another key', async () => {
  const sealed = await seal()
  const start = 19 + 65
  for (const at of [0, 20, 60, start, start + 4, start + 30, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    await expect(open(changed), String(at)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  }
  const first = sealed.subarray(start, start + 4 + 5 + 16)
  const rest = sealed.subarray(start + first.length)
  const head = sealed.subarray(0, start)
  for (const parts of [
    [head, rest],
    [head, first, first, rest],
    [head, rest, first],
    [sealed.subarray(0, -1)],
    [sealed, Buffer.of(0)],
  ])
    await expect(open(Buffer.concat(parts))).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await expect(open(sealed, 65_536, createApiKeyPair().privateKey)).rejects.toThrow('sealed to another ticket')
  await expect(seal('02')).rejects.toThrow('The key of the ticket must be a point')
})
