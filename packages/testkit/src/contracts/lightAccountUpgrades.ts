import { type Address, encodeFunctionData, type Hex, hashMessage, keccak256, toHex } from 'viem'
import { expect } from 'vitest'
import {
  isValid,
  type LightAccountVersion,
  ownersOf,
  readImplementation,
  signDigest,
  type TestAccount,
  validate,
} from './lightAccounts.ts'
import { readRevert } from './readRevert.ts'

const hash = keccak256(toHex('operation'))

/** Returns the account with the ABI of another version. */
export const as = (it: TestAccount, version: LightAccountVersion): TestAccount => ({
  ...it,
  version,
  account: { address: it.address, abi: version.abi },
})

export const upgradeCall = ({ abi }: LightAccountVersion, to: Address, data: Hex = '0x') =>
  encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [to, data] })

export async function upgrade(it: TestAccount, to: LightAccountVersion, data?: Hex): Promise<TestAccount> {
  await it.by.transact({ to: it.address, data: upgradeCall(it.version, to.implementation, data) })
  return as(it, to)
}

export async function expectAtHome(it: TestAccount): Promise<void> {
  const { version } = it
  expect(await readImplementation(it)).toBe(BigInt(version.implementation))
  expect(await ownersOf(it)).toEqual([it.owner.address])
  const signed = version.byKey(await it.owner.signMessage({ message: { raw: hash } }))
  expect(await validate(it, signed, hash)).toBe(0n)
  if (version.refusesMessages) return
  const digest = hashMessage('hello')
  expect(await isValid(it, digest, await signDigest(it, it.owner, digest))).toBe('0x1626ba7e')
}

/** Expects that nobody can initialize the account again. */
export async function expectClosed(it: TestAccount): Promise<void> {
  const { owned, entryPoint } = it.version
  for (const caller of [it.stranger.address, it.owner.address, entryPoint, it.address]) {
    const call = { ...it.account, functionName: 'initialize', args: [owned(it.stranger.address)], account: caller }
    expect((await readRevert(it.read.simulateContract(call))).name).toBe('InvalidInitialization')
  }
}
