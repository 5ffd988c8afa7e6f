import { expect, test } from 'vitest'
import { parseCall, readId } from './jsonRpc.ts'

test('parses a call', () => {
  expect(parseCall({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).toEqual({
    id: 1,
    method: 'eth_chainId',
    params: [],
  })
})

test.each([
  ['not an object', 'eth_chainId'],
  ['a list', []],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'a' }],
  ['no id', { jsonrpc: '2.0', method: 'a' }],
  ['an object as id', { jsonrpc: '2.0', id: {}, method: 'a' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['an endless method', { jsonrpc: '2.0', id: 1, method: 'a'.repeat(129) }],
  ['text as params', { jsonrpc: '2.0', id: 1, method: 'a', params: 'x' }],
])('refuses %s', (_name, value) => {
  expect(() => parseCall(value)).toThrow(expect.objectContaining({ rpcCode: -32600, code: 'REQUEST_INVALID' }))
})

test('keeps the readable id of a malformed request', () => {
  expect(readId({ id: 'x' })).toBe('x')
  expect(readId({ id: {} })).toBeNull()
  expect(readId(null)).toBeNull()
})
