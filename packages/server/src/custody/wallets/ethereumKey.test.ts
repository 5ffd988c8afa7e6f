import { expect, test } from 'vitest'
import { deriveKey, ethereumAddress, parsePath } from './ethereumKey.ts'

test('derives a key with its address', async () => {
  const key = await deriveKey(Buffer.from('df9bf37e6fcdf9bf37e6fcdf9bf37e3c', 'hex'), "m/44'/60'/0'/0/0")
  expect(Buffer.from(key).toString('hex')).toBe('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
  expect(ethereumAddress(key)).toEqual({
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    publicKey: '038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75',
  })
})

test('parses BIP-32 paths and refuses other texts', () => {
  expect(parsePath("m/44'/60'/0'/0/7")).toEqual([0x8000002c, 0x8000003c, 0x80000000, 0, 7])
})
