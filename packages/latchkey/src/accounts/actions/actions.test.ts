import { createClient, type Hex, http, zeroAddress } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { toViemOverrides } from './sendWithViem.ts'
import { transferOwnership } from './transferOwnership.ts'
import { updateOwners } from './updateOwners.ts'
import { upgradeAccount } from './upgradeAccount.ts'

const owner = privateKeyToAccount(generatePrivateKey())
const other = privateKeyToAccount(generatePrivateKey()).address
const transport = http('http://127.0.0.1:9', { retryCount: 0 })
const client = createClient({ chain: sepolia, transport })

/** Creates a fake Latchkey client that records operations instead of sending them. */
function recorder(smartAccount: Awaited<ReturnType<typeof toLightAccount | typeof toMultiOwnerLightAccount>>) {
  const sent: unknown[] = []
  const hash: Hex = '0x01'
  return {
    sent,
    smartAccount,
    async sendUserOperation(parameters: unknown) {
      sent.push(parameters)
      return { hash }
    },
    waitForUserOperationTransaction: async (): Promise<Hex> => '0x02',
  }
}

test('passes call data, overrides and context to the Latchkey client', async () => {
  const account = await toLightAccount({ client, owner })
  const to = recorder(account)
  const overrides = { nonceKey: 5n }
  expect(await transferOwnership(to, { newOwner: other, overrides, context: 'c' })).toBe('0x01')
  const data: Hex = `0xf2fde38b${other.slice(2).toLowerCase().padStart(64, '0')}`
  const uo = await account.encodeCalls([{ to: account.address, data }])
  expect(to.sent).toEqual([{ uo, overrides, context: 'c' }])
  expect(await transferOwnership(to, { newOwner: owner, waitForTxn: true })).toBe('0x02')
})

test('refuses owners that every contract refuses', async () => {
  const to = recorder(await toMultiOwnerLightAccount({ client, owner }))
  for (const [change, shortMessage] of [
    [{}, 'There is no owner to add or to remove.'],
    [{ ownersToAdd: [zeroAddress] }, 'The zero address is never an owner.'],
    [{ ownersToRemove: [zeroAddress] }, 'The zero address is never an owner.'],
    [{ ownersToAdd: [other, other.toLowerCase() as Hex] }, `${other} is in the list twice.`],
  ] as const)
    await expect(updateOwners(to, change)).rejects.toMatchObject({ code: 'OWNERS_INVALID', shortMessage })
  await expect(updateOwners(to, { ownersToAdd: ['0x12'] })).rejects.toMatchObject({
    code: 'ADDRESS_INVALID',
    shortMessage: '0x12 is not an address.',
  })
  await expect(transferOwnership(to, { newOwner: '0x12' })).rejects.toMatchObject({ code: 'ADDRESS_INVALID' })
  const upgradeTo = { implAddress: '0x12', initializationData: '0x' } as const
  await expect(upgradeAccount(to, { upgradeTo })).rejects.toMatchObject({ code: 'ADDRESS_INVALID' })
  expect(to.sent).toEqual([])
})

test('refuses an account that the Latchkey client was not made for', async () => {
  const to = recorder(await toLightAccount({ client, owner }))
  const account = await toLightAccount({ client, owner, salt: 1n })
  await expect(transferOwnership(to, { newOwner: other, account })).rejects.toMatchObject({
    code: 'CLIENT_INCOMPATIBLE',
    shortMessage: 'A client of Latchkey sends operations of its own account only.',
  })
  expect(to.sent).toEqual([])
  await transferOwnership(to, { newOwner: other, account: to.smartAccount })
  expect(to.sent).toHaveLength(1)
})

test('converts overrides for a viem bundler client and refuses those it cannot send', async () => {
  expect(toViemOverrides({ callGasLimit: 5, maxFeePerGas: '0x10', preVerificationGas: 7n })).toEqual({
    callGasLimit: 5n,
    maxFeePerGas: 16n,
    preVerificationGas: 7n,
  })
  for (const callGasLimit of [1.5, -1, Number.NaN, '0xzz', -1n] as const) {
    expect(() => toViemOverrides({ callGasLimit })).toThrow(
      expect.objectContaining({
        code: 'ARGUMENT_INVALID',
        shortMessage: `\`overrides.callGasLimit\` is not a whole number: ${callGasLimit}`,
      }),
    )
  }
  const account = await toLightAccount({ client, owner })
  const bundler = createBundlerClient({ account, client, transport })
  for (const overrides of [{ callGasLimit: { multiplier: 2 } }, { paymasterAndData: '0x' }] as const)
    await expect(transferOwnership(bundler, { newOwner: other, overrides })).rejects.toMatchObject({
      code: 'CLIENT_INCOMPATIBLE',
      shortMessage: `A viem bundler client cannot do what \`overrides.${Object.keys(overrides)[0]}\` asks for.`,
    })
})
