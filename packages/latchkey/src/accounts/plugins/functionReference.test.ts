import { expect, test } from 'vitest'
import { decodeFunctionReference, encodeFunctionReference } from './functionReference.ts'

const plugin = '0xcE0000007B008F50d762D155002600004cD6c647'

test('default: address and number, encoded and decoded', () => {
  const reference = encodeFunctionReference({ plugin, functionId: 1 })
  expect(reference).toBe('0xce0000007b008f50d762d155002600004cd6c64701')
  expect(decodeFunctionReference(reference)).toEqual({ plugin, functionId: 1 })
  expect(decodeFunctionReference(encodeFunctionReference({ plugin, functionId: 255 })).functionId).toBe(255)
})

test('error: a number that does not fit, an invalid address', () => {
  for (const functionId of [-1, 256, 0.5])
    expect(() => encodeFunctionReference({ plugin, functionId })).toThrow(
      expect.objectContaining({ code: 'USER_OPERATION_INVALID' }),
    )
  expect(() => encodeFunctionReference({ plugin: '0x12', functionId: 0 })).toThrow(
    expect.objectContaining({ code: 'ADDRESS_INVALID' }),
  )
})
