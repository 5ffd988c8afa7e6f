import { createClient, custom, encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { toContractError } from './ContractRevertedError.ts'

const action = 'The owner could not be changed.'
const abi = parseAbi(['error InvalidOwner(address owner)', 'error Odd(uint256)'])
const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const data = encodeErrorResult({ abi, errorName: 'InvalidOwner', args: [owner] })

async function convert(error: { code: number; message: string; data?: unknown }) {
  const request = async () => {
    throw Object.assign(new TypeError(error.message), error)
  }
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }) })
  const failure: unknown = await client.request({ method: 'eth_call', params: [{}] }).catch((reason: unknown) => reason)
  return toContractError(failure, { action })
}
const reverted = { code: 3, message: 'execution reverted' }

test('decodes the revert data of a node', async () => {
  expect(await convert({ ...reverted, data })).toMatchObject({
    code: 'CONTRACT_REVERTED',
    name: 'ContractRevertedError',
    errorName: 'InvalidOwner',
    args: [owner],
    data,
    shortMessage: `A call of the operation would revert: InvalidOwner(${owner})`,
    metaMessages: [action, 'An owner is not zero, not the account itself, and not one already.'],
  })
})

test('decodes revert data in the text of a bundler, and explains a refused session key', async () => {
  const prefix = 'UserOperation reverted during simulation with reason:'
  const details = `${prefix} ${data}`
  expect(await convert({ code: -32521, message: details })).toMatchObject({ errorName: 'InvalidOwner', details })
  expect(await convert({ code: -32500, message: `${prefix} 0xb4d78304` })).toMatchObject({
    errorName: 'PermissionsCheckFailed',
    metaMessages: [action, expect.stringContaining('`getSessionKeyPermissions` lists them')],
  })
})

test('reports a revert without data or with an unknown error', async () => {
  const code = 'CONTRACT_REVERTED'
  const silent = { code, shortMessage: 'A call of the operation would revert.' }
  expect(await convert({ ...reverted, data: '0x' })).toMatchObject(silent)
  const odd = encodeErrorResult({ abi, errorName: 'Odd', args: [1n] })
  const shortMessage = `A call of the operation would revert: unknown error ${odd}`
  expect(await convert({ ...reverted, data: odd })).toMatchObject({
    code,
    errorName: undefined,
    args: [],
    shortMessage,
  })
})
