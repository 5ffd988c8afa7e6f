import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import { entryPoint, factory, modularAccountV2, modules } from '@latchkey/testkit/contracts/modularAccountsV2'
import { accountFactoryAbi } from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { encodeFunctionData, encodePacked, type Hex, keccak256, parseEventLogs } from 'viem'
import { expect } from 'vitest'
import { devAccountOf } from '../../../dev/src/chain/devAccounts.ts'

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const read = (functionName: string, ...args: unknown[]) =>
  chain.client(1).read.readContract({ ...factory, functionName, args })

/** Addresses on public chains, computed by the makers' package. */
const owner = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const semiModular = [
  [0n, '0x7A546bF84e0b86374B2A765F2c294548363D279a'],
  [1n, '0x4130D95cE7f82FAf6BD7E406496582b41ac70072'],
  [12345678901234567890n, '0x684AB6fa29566eb84Ffb72984230EB84609ae4ca'],
  [2n ** 256n - 1n, '0x469Afc2e211Da81C54D7E626B2Ef563326712d8E'],
] as const
const singleSigner = [
  [0n, 1, '0x0afD25e8607B02d834Aa58b87572e4359407D01B'],
  [7n, 4294967294, '0xFAD35baaBC1b64D460e09209736f8EDa14D2ADB9'],
] as const

test('has the published ABI', () => {
  const { missing, extra } = compareAbis(readArtifact('AccountFactory').abi, accountFactoryAbi)
  expect(missing).toEqual([])
  expect(extra).toEqual(['receive()'])
})

test.each(semiModular)('has the public address of the semi-modular account with salt %s', async (salt, address) => {
  expect(await read('getAddressSemiModular', owner, salt)).toBe(address)
})

test.each(singleSigner)('has the public address of the account with salt %s and id %s', async (salt, id, address) => {
  expect(await read('getAddress', owner, salt, id)).toBe(address)
  expect(await read('getSalt', owner, salt, id)).toBe(
    keccak256(encodePacked(['address', 'uint256', 'uint32'], [owner, salt, id])),
  )
})

test('deploys accounts at the addresses it names, once', async () => {
  const { read: client, account } = chain.client(1)
  const cases = [
    ['createSemiModularAccount', [owner, 0n], semiModular[0][1], 'SemiModularAccountDeployed'],
    ['createAccount', [owner, 0n, 1], singleSigner[0][2], 'ModularAccountDeployed'],
  ] as const
  for (const [functionName, args, address, eventName] of cases) {
    const call = { ...factory, functionName, args: [...args], account }
    expect((await client.simulateContract(call)).result).toBe(address)
    const data = encodeFunctionData(call)
    const { logs } = await chain.client(1).transact({ to: factory.address, data })
    expect(parseEventLogs({ abi: factory.abi, logs, eventName }).map((log) => log.args)).toEqual([
      { account: address, owner, salt: 0n },
    ])
    expect((await client.simulateContract(call)).result).toBe(address)
    const again = await chain.client(1).transact({ to: factory.address, data })
    expect(again.logs).toEqual([])
  }
})

test('names what it deploys, and its owner', async () => {
  const keeper = devAccountOf.paymasterOwner.address
  expect(await read('ACCOUNT_IMPL')).toBe(modularAccountV2.implementation)
  expect(await read('SEMI_MODULAR_ACCOUNT_IMPL')).toBe(modularAccountV2.semiModularBytecode)
  expect(await read('SINGLE_SIGNER_VALIDATION_MODULE')).toBe(modules.SingleSignerValidationModule)
  expect(await read('WEBAUTHN_VALIDATION_MODULE')).toBe(modules.WebAuthnValidationModule)
  expect(await read('ENTRY_POINT')).toBe(entryPoint)
  expect(await read('owner')).toBe(keeper)
  const call = { ...factory, functionName: 'renounceOwnership', account: keeper }
  expect(await readRevert(chain.client(1).read.readContract(call))).toEqual({ name: 'InvalidAction', args: [] })
})

test.each(['unlockStake', 'addStake', 'withdrawStake', 'withdraw', 'transferOwnership'])(
  'lets its owner alone call %s',
  async (functionName) => {
    const stranger = (await chain.freshAccount()).address
    const inputs: Record<string, unknown[]> = {
      addStake: [1],
      withdrawStake: [stranger],
      withdraw: [stranger, '0x0000000000000000000000000000000000000000', 0n],
      transferOwnership: [stranger],
    }
    const args = inputs[functionName] ?? []
    const call = { ...factory, functionName, args, account: stranger as Hex }
    const refused = { name: 'OwnableUnauthorizedAccount', args: [stranger] }
    expect(await readRevert(chain.client(1).read.simulateContract(call))).toEqual(refused)
  },
)
