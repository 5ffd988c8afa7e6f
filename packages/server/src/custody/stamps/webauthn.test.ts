import { official } from '@latchkey/testkit/webauthnVectors'
import { expect, test } from 'vitest'
import { readWebauthnStamp } from './webauthn.ts'

const stamp = JSON.parse(official.header) as Record<string, string>

test('default', () => {
  const { authenticatorData, credentialId } = readWebauthnStamp(official.header)
  expect(Buffer.from(authenticatorData).toString('hex')).toBe(official.authenticatorDataHex)
  expect(credentialId).toBe('tO7QOm74adU0lmbUulN785FNoidOAo-0JQfXbbJdGPQ')
})

test('behavior: padding and the standard alphabet name the same credential', () => {
  const credentialId = Buffer.from(stamp.credentialId ?? '', 'base64url').toString('base64')
  expect(credentialId).toMatch(/\+.*=$/)
  expect(readWebauthnStamp(JSON.stringify({ ...stamp, credentialId })).credentialId).toBe(stamp.credentialId)
})

test('error: what is no such JSON', () => {
  const cases = [
    ['', 'not JSON'],
    ['eyJ9', 'not JSON'],
    ['null', 'must hold'],
    ['[]', 'must hold'],
    [JSON.stringify({ ...stamp, clientDataJson: undefined, clientDataJSON: stamp.clientDataJson }), 'must hold'],
    [JSON.stringify({ ...stamp, signature: 5 }), 'must hold'],
    [JSON.stringify({ ...stamp, signature: '' }), 'must hold'],
    [JSON.stringify({ ...stamp, signature: 'a b' }), 'must hold'],
    [`"${'a'.repeat(8191)}"`, 'longer than'],
  ] as const
  for (const [header, message] of cases) {
    expect(() => readWebauthnStamp(header), header).toThrow(message)
    expect(() => readWebauthnStamp(header)).toThrow(expect.objectContaining({ code: 'SIGNATURE_INVALID', status: 401 }))
  }
})
