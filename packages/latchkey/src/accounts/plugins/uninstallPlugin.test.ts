import { decodeAbiParameters, decodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { modularAccountAbi as abi } from '../modularAccount/encoding.ts'
import { encodeUninstallPlugin } from './uninstallPlugin.ts'

const pluginAddress = '0x0000003E0000a96de4058e1E02a62FaaeCf23d8d'
const parameters = parseAbiParameters([
  'Config config',
  'struct Config { bytes serializedManifest; bool forceUninstall; uint256 callbackGasLimit; }',
])
const readArgs = (data: Hex) => decodeFunctionData({ abi, data }).args

test('default: no config and no data, as documented', () => {
  expect(readArgs(encodeUninstallPlugin({ pluginAddress }))).toEqual([pluginAddress, '0x', '0x'])
})

test('param: each part of the config, the others at their defaults', () => {
  const plain = { serializedManifest: '0x', forceUninstall: false, callbackGasLimit: 0n }
  for (const part of [{ forceUninstall: true }, { callbackGasLimit: 7n }]) {
    const [, config, data] =
      readArgs(encodeUninstallPlugin({ pluginAddress, ...part, pluginUninstallData: '0xab' })) ?? []
    expect(decodeAbiParameters(parameters, config as Hex)).toEqual([{ ...plain, ...part }])
    expect(data).toBe('0xab')
  }
})

test('error: a value that is not an address', () => {
  const coded = expect.objectContaining({ code: 'ADDRESS_INVALID' })
  expect(() => encodeUninstallPlugin({ pluginAddress: '0x12' })).toThrow(coded)
})
