import { type Address, encodeAbiParameters, type Hex, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { readTokens, tokenCalls } from './readTokens.ts'
import type { SimulatedOutcome } from './types.ts'

const token: Address = '0xde300000000000000000000000000000000000Df'
const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])
const outcome = (returnData: Hex, success = true): SimulatedOutcome => ({ success, returnData, logs: [] })

function read(symbol: Hex, name: Hex, decimals: Hex, isMulti: Hex = '0x') {
  return readTokens(
    [token],
    [symbol, name, decimals, isMulti].map((data) => outcome(data)),
  ).get(token)
}

test('reads the metadata of ERC-20, ERC-721 and ERC-1155', () => {
  expect(tokenCalls([token, token], token)).toHaveLength(8)
  expect(read(text('DEMO'), text('Demo'), word(18n))).toEqual({
    symbol: 'DEMO',
    name: 'Demo',
    decimals: 18,
    collection: 'ERC721',
  })
  expect(read('0x', '0x', '0x', word(1n))?.collection).toBe('ERC1155')
})

test('reads 32-byte texts of early tokens', () => {
  expect(read(stringToHex('MKR', { size: 32 }), stringToHex('Maker', { size: 32 }), word(18n))).toMatchObject({
    symbol: 'MKR',
    name: 'Maker',
  })
})

test('strips deceptive characters and cuts long names', () => {
  const { symbol, name } = read(text('US\u202eCD\u0000\n'), text('x'.repeat(10_000)), word(6n)) ?? {}
  expect(symbol).toBe('USCD')
  expect(name).toHaveLength(64)
})

test('ignores unreadable results', () => {
  const nothing = { symbol: '', name: undefined, decimals: undefined, collection: 'ERC721' }
  expect(read('0x', '0x', '0x')).toEqual(nothing)
  expect(read('0x1234', word(2n ** 255n), word(256n), word(2n))).toMatchObject({ symbol: '', decimals: undefined })
  const refused = [text('A'), text('B'), word(1n), word(1n)].map((data) => outcome(data, false))
  expect(readTokens([token], refused).get(token)).toEqual(nothing)
  expect(readTokens([token], []).get(token)).toEqual(nothing)
})
