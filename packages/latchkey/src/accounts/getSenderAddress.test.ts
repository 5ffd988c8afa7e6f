import { createClient, custom } from 'viem'
import { expect, test } from 'vitest'
import { getSenderAddress } from './getSenderAddress.ts'

const entryPoint = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789'
const initCode = `0x${'11'.repeat(24)}` as const
const sender = '0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6'
const result = `0x6ca7b806${sender.slice(2).toLowerCase().padStart(64, '0')}`

function failing(failure: object) {
  let asked = 0
  const request = async () => {
    asked++
    throw Object.assign(new RangeError('execution reverted'), failure)
  }
  return { client: createClient({ transport: custom({ request }) }), asked: () => asked }
}

test('finds the address anywhere in the revert data with one request', async () => {
  for (const failure of [
    { code: 3, data: result },
    { code: -32603, data: { data: result } },
    { code: -32015, data: `Reverted ${result}` },
    { code: -32000, message: result },
  ]) {
    const { client, asked } = failing(failure)
    expect(await getSenderAddress({ client, entryPoint, initCode })).toBe(sender)
    expect(asked()).toBe(1)
  }
})

test('fails on another revert and when nothing reverts', async () => {
  const refusal = {
    code: 'COUNTERFACTUAL_ADDRESS_FAILED',
    name: 'GetCounterFactualAddressError',
    shortMessage: 'getCounterFactualAddress failed',
  }
  const { client } = failing({ code: 3, data: '0x08c379a0' })
  await expect(getSenderAddress({ client, entryPoint, initCode })).rejects.toMatchObject(refusal)
  const silent = createClient({ transport: custom({ request: async () => '0x' }) })
  await expect(getSenderAddress({ client: silent, entryPoint, initCode })).rejects.toMatchObject(refusal)
})
