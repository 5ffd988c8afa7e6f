import { decodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { modularAccountAbi as abi } from '../modularAccount/encoding.ts'
import { encodeInstallPlugin } from './installPlugin.ts'

const pluginAddress = '0x0000003E0000a96de4058e1E02a62FaaeCf23d8d'
const readArgs = (data: Hex) => decodeFunctionData({ abi, data }).args

test('default: hash, data and 21-byte dependencies, and nothing where there are none', () => {
  const manifestHash = `0x${'11'.repeat(32)}` as const
  expect(readArgs(encodeInstallPlugin({ pluginAddress, manifestHash }))).toEqual([
    pluginAddress,
    manifestHash,
    '0x',
    [],
  ])
  const dependencies = [{ plugin: pluginAddress, functionId: 1 }] as const
  expect(readArgs(encodeInstallPlugin({ pluginAddress, manifestHash, pluginInitData: '0xab', dependencies }))).toEqual([
    pluginAddress,
    manifestHash,
    '0xab',
    [`${pluginAddress.toLowerCase()}01`],
  ])
})

test('error: a value that is not an address', () => {
  expect(() => encodeInstallPlugin({ pluginAddress: '0x12', manifestHash: '0x' })).toThrow(
    expect.objectContaining({ code: 'ADDRESS_INVALID' }),
  )
})
