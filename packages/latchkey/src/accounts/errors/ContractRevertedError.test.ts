import { createClient, custom, encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { toContractError } from './ContractRevertedError.ts'

const action = 'The owner could not be changed.'
const abi = parseAbi(['error InvalidOwner(address owner)', 'error Odd(uint256)'])
const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const data = encodeErrorResult({ abi, errorName: 'InvalidOwner', args: [owner] })

/** What viem makes of a server's error object. */
async function failure(error: { code: number; message: string; data?: unknown }): Promise<unknown> {
  const request = async () => {
    throw Object.assign(new TypeError(error.message), error)
  }
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }) })
  return client.request({ method: 'eth_call', params: [{}] }).catch((reason: unknown) => reason)
}

test('default: revert data from a node', async () => {
  expect(toContractError(await failure({ code: 3, message: 'execution reverted', data }), { action })).toMatchObject({
    code: 'CONTRACT_REVERTED',
    name: 'ContractRevertedError',
    errorName: 'InvalidOwner',
    args: [owner],
    data,
    shortMessage: `A call of the operation would revert: InvalidOwner(${owner})`,
    metaMessages: [action, 'An owner is not zero, not the account itself, and not one already.'],
  })
})

test('behavior: the usual refusal of a session key, as the published plugin words it', async () => {
  const message = 'UserOperation reverted during simulation with reason: 0xb4d78304'
  expect(toContractError(await failure({ code: -32500, message }), { action })).toMatchObject({
    errorName: 'PermissionsCheckFailed',
    metaMessages: [action, expect.stringContaining('`getSessionKeyPermissions` lists them')],
  })
})

test('behavior: revert data in a bundler’s text', async () => {
  const message = `UserOperation reverted during simulation with reason: ${data}`
  expect(toContractError(await failure({ code: -32521, message }), { action })).toMatchObject({
    errorName: 'InvalidOwner',
    details: message,
  })
})

test('behavior: a revert without data, or with an unknown error', async () => {
  const silent = toContractError(await failure({ code: 3, message: 'execution reverted', data: '0x' }), { action })
  expect(silent).toMatchObject({ code: 'CONTRACT_REVERTED', shortMessage: 'A call of the operation would revert.' })
  const odd = encodeErrorResult({ abi, errorName: 'Odd', args: [1n] })
  expect(
    toContractError(await failure({ code: 3, message: 'execution reverted', data: odd }), { action }),
  ).toMatchObject({
    code: 'CONTRACT_REVERTED',
    errorName: undefined,
    args: [],
    shortMessage: `A call of the operation would revert: unknown error ${odd}`,
  })
})
