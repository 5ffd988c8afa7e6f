import { expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { createClientAddressReader, createClientAddressSigner } from './clientAddress.ts'

const parent = createApiKeyPair()
const body = '{"type":"x"}'
const bytes = (text: string) => new TextEncoder().encode(text)
const write = createClientAddressSigner(parent, Date.now)
const read = createClientAddressReader(parent.publicKey, Date.now)

test('reads a signed address', () => {
  for (const address of ['198.51.100.7', '2001:db8:0:1::/64', 'unknown'])
    expect(read(write(address, body), bytes(body))).toBe(address)
})

test('refuses another body, address, key, minute or form', () => {
  const header = write('198.51.100.7', body)
  const [address, minute, signature] = header.split(' ')
  expect(read(header, bytes(`${body} `))).toBeUndefined()
  expect(read(`198.51.100.8 ${minute} ${signature}`, bytes(body))).toBeUndefined()
  expect(read(`${address} ${Number(minute) + 1} ${signature}`, bytes(body))).toBeUndefined()
  const foreign = createClientAddressSigner(createApiKeyPair(), Date.now)('198.51.100.7', body)
  const short = [address ?? '', `${address} ${minute}`, `${header} x`, `${address} ${minute} ${'A'.repeat(96)}`]
  for (const wrong of [foreign, '', 'x', ...short]) expect(read(wrong, bytes(body)), wrong).toBeUndefined()
})

test('refuses addresses signed minutes ago or ahead', () => {
  const header = write('198.51.100.7', body)
  for (const minutes of [-4, 4]) {
    const later = createClientAddressReader(parent.publicKey, () => Date.now() + minutes * 60_000)
    expect(later(header, bytes(body))).toBeUndefined()
  }
})
