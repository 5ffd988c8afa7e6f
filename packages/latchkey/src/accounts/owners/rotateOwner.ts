import { toOwnerProof } from 'latchkey-protocol'
import { type Address, bytesToHex, type Hex, hashMessage, isAddressEqual, recoverMessageAddress } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { requireChain } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OperationClient } from '../actions/OperationClient.ts'
import { sendCallData } from '../actions/sendCallData.ts'
import type { OwnerParameter } from '../owner.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import { hasOwner, requireRest, sendAdd } from './changeOwners.ts'
import { ownershipOf } from './ownership.ts'
import { readAccountOwners } from './readAccountOwners.ts'
import { isSignedByPasskey } from './toPasskeyOwner.ts'
import type { AccountOwner, NewOwner, Ownership } from './types.ts'

/**
 * Steps on each chain, in order. If the account can have only one owner, or the new owner signs only messages, `prove`
 * precedes `add`. In an account that can have only one owner, `add` replaces the owner.
 */
export type RotationStep = 'add' | 'prove' | 'remove'

export type RotationProgress = {
  chainId: number
  step: RotationStep
  /** `skipped`: according to the chain, the step is not needed, for example after an interruption. */
  state: 'pending' | 'done' | 'skipped'
}

export declare namespace rotateOwner {
  type Parameters = {
    /** The account on each chain, with one of its current owners as the signer. */
    accounts: readonly LatchkeyAccount[]
    /** New owner. It signs a proof on each chain, and the removal of the other owners. */
    to: OwnerParameter | WebAuthnAccount
    /** Addresses of owners to keep, besides `to`. @default 'all' */
    keep?: 'all' | readonly Address[] | undefined
    /**
     * Returns a client that sends operations of the given account. Its signer may differ from the signer in `accounts`.
     */
    connect: (account: LatchkeyAccount) => OperationClient
    /** Whether `to` may be the only owner although it is a passkey. @default false */
    allowSinglePasskey?: boolean | undefined
    onProgress?: ((progress: RotationProgress) => void) | undefined
  }
  /** Owners of the account on each chain, read after the rotation. */
  type ReturnType = Promise<readonly { chainId: number; owners: readonly AccountOwner[] }[]>
}

/**
 * Adds an owner to an account on several chains and removes other owners. First adds the owner on every chain, then
 * verifies on every chain that it can sign, and only then removes the others. Reads the state of each step from the
 * chain, so after an interruption the same call continues, even on another device.
 *
 * @throws `OWNER_NOT_PROVEN` if a chain does not accept the new owner's signature; no owner was removed.
 * `OWNERS_INVALID` if `keep` contains an address that is not an owner, or if only a passkey would remain;
 * `ARGUMENT_INVALID` without accounts, or for accounts of different types; `UNSUPPORTED_ACCOUNT_TYPE`,
 * `FACTORY_NOT_FOUND`, `TIMEOUT`, and errors of the client.
 *
 * @example
 * ```ts
 * import { rotateOwner } from 'latchkey/accounts'
 * import { createBundlerClient, createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
 * import { account, bundlerTransport, publicClient } from './config.ts'
 *
 * const credential = await createWebAuthnCredential({ name: 'My wallet' })
 * await rotateOwner({
 *   accounts: [account],
 *   to: toWebAuthnAccount({ credential }),
 *   keep: 'all',
 *   connect: (account) => createBundlerClient({ account, client: publicClient, transport: bundlerTransport }),
 * })
 * ```
 */
export async function rotateOwner(parameters: rotateOwner.Parameters): rotateOwner.ReturnType {
  const { accounts, connect, onProgress = () => {} } = parameters
  if (accounts.length === 0)
    throw new BaseError('A rotation needs the account on at least one chain.', { code: 'ARGUMENT_INVALID' })
  // The order of the steps depends on the type: a single owner must be proven before it replaces the other.
  if (new Set(accounts.map(({ source }) => source)).size > 1)
    throw new BaseError('A rotation needs accounts of one type.', { code: 'ARGUMENT_INVALID' })
  // All checks on all chains precede the first operation.
  const plans = await Promise.all(accounts.map((account) => preparePlan(account, parameters)))
  const run = async (step: RotationStep, act: (plan: Plan) => Promise<'done' | 'skipped'>) => {
    for (const plan of plans) {
      const { chainId } = plan
      onProgress({ chainId, step, state: 'pending' })
      onProgress({ chainId, step, state: await act(plan) })
    }
  }
  const [first] = plans
  if (first?.ownership.isSingle || first?.owner.signer.signsMessagesOnly) {
    await run('prove', proveAlone)
    await run('add', (plan) => add(plan, connect))
  } else {
    await run('add', (plan) => add(plan, connect))
    await run('prove', prove)
    await run('remove', (plan) => remove(plan, connect))
  }
  return Promise.all(
    plans.map(async ({ account, chainId }) => ({ chainId, owners: (await readAccountOwners({ account })).owners })),
  )
}

type Plan = {
  account: LatchkeyAccount
  chainId: number
  ownership: Ownership
  owner: NewOwner
  removed: readonly AccountOwner[]
  isAdded: boolean
  proof?: { signed: LatchkeyAccount; hash: Hex; signature: Hex } | undefined
}

async function preparePlan(
  account: LatchkeyAccount,
  { to, keep = 'all', allowSinglePasskey }: rotateOwner.Parameters,
): Promise<Plan> {
  const ownership = ownershipOf(account)
  const chainId = requireChain(account.client).id
  const owner = await ownership.resolve(account.client as ReadClient, to)
  const { owners } = await readAccountOwners({ account })
  const isAdded = await hasOwner(account, owner)
  const others = owners.filter(({ address }) => !isAddressEqual(address, owner.address))
  if (ownership.isSingle && (keep === 'all' ? others.length > 0 && !isAdded : keep.length > 0))
    throw keptOwnerError(account)
  const isKept = ({ address }: AccountOwner) => keep === 'all' || keep.some((each) => isAddressEqual(each, address))
  const known = [...owners, owner]
  const stranger =
    keep === 'all' ? undefined : keep.find((each) => !known.some((one) => isAddressEqual(one.address, each)))
  if (stranger) throw strangerError(stranger, chainId)
  const removed = others.filter((each) => !isKept(each))
  if (owner.signer.signsMessagesOnly && (removed.length > 0 || ownership.isSingle)) throw messagesOnlyError()
  if (removed.length > 0) requireRest([...others.filter(isKept), owner], allowSinglePasskey)
  return { account, chainId, ownership, owner, removed, isAdded }
}

async function add(plan: Plan, connect: rotateOwner.Parameters['connect']): Promise<'done' | 'skipped'> {
  const { account, owner } = plan
  if (plan.isAdded) return 'skipped'
  const client = connect(account)
  await sendAdd(client, { account, owner, waitForTxn: true }).catch(async (error: unknown) => {
    // Another tab or device may have added the owner in the meantime.
    if (!(await hasOwner(account, owner))) throw error
  })
  await waitUntil(() => hasOwner(account, owner), plan)
  return 'done'
}

/** Verifies on the chain that the new owner can sign a message for the account (ERC-1271). */
async function prove(plan: Plan): Promise<'done' | 'skipped'> {
  const { account, ownership, owner, removed, isAdded } = plan
  if (isAdded && removed.length === 0) return 'skipped'
  const signed = await ownership.signAs(account, owner)
  const message = toChallenge(plan)
  plan.proof = { signed, hash: hashMessage(message), signature: await signed.signMessage({ message }) }
  await requireProof(plan)
  return 'done'
}

async function requireProof({ account, chainId, owner, proof }: Plan): Promise<NonNullable<Plan['proof']>> {
  const { client, address } = account
  if (proof && (await readIsValidSignature(client, { address, ...proof }))) return proof
  throw notProvenError(owner, chainId)
}

/** Verifies that the new owner itself can sign. It is not an owner yet, so the account would refuse its signature. */
async function proveAlone(plan: Plan): Promise<'done' | 'skipped'> {
  const { account, owner, isAdded } = plan
  if (isAdded) return 'skipped'
  const message = toChallenge(plan)
  const signature = await owner.signer.signMessage({ message })
  const hash = hashMessage(message)
  const isProven = await (owner.kind === 'key'
    ? recoverMessageAddress({ message, signature }).then(
        (signer) => isAddressEqual(signer, owner.address),
        () => false,
      )
    : owner.passkey
      ? isSignedByPasskey(account.client, { passkey: owner.passkey, hash, signature })
      : readIsValidSignature(account.client, { address: owner.address, hash, signature }))
  if (isProven) return 'done'
  throw notProvenError(owner, plan.chainId)
}

async function remove(plan: Plan, connect: rotateOwner.Parameters['connect']): Promise<'done' | 'skipped'> {
  const { account, ownership, removed } = plan
  if (removed.length === 0) return 'skipped'
  // Verifies the proof again, because the chain may have been reorganized.
  const { signed } = await requireProof(plan)
  const { owners } = await readAccountOwners({ account })
  const present = removed.filter(({ address }) => owners.some((each) => isAddressEqual(each.address, address)))
  if (present.length === 0) return 'skipped'
  const callData = await ownership.encodeRemove(signed, present)
  const areGone = async () => {
    const now = await ownership.read(account.client, account.address)
    return !present.some(({ address }) => now.some((each) => isAddressEqual(each.address, address)))
  }
  await sendCallData(connect(signed), { account: signed, callData, waitForTxn: true }).catch(async (error: unknown) => {
    if (!(await areGone())) throw error
  })
  await waitUntil(areGone, plan)
  return 'done'
}

const readAttempts = 20
const readIntervalMs = 500

/**
 * Repeats a read until it returns true. A load-balanced node may be one block behind the node that has confirmed the
 * operation.
 */
async function waitUntil(read: () => Promise<boolean>, { chainId }: Plan): Promise<void> {
  for (let attempt = 0; attempt < readAttempts; attempt++) {
    if (await read()) return
    await new Promise((resolve) => setTimeout(resolve, readIntervalMs))
  }
  throw new BaseError('The operation is in a block, but the node does not show the changed owners.', {
    code: 'TIMEOUT',
    metaMessages: [`Chain: ${chainId}`, 'Call `rotateOwner` again: it continues from what the chain shows.'],
  })
}

function toChallenge({ account, chainId }: Plan): string {
  return toOwnerProof({
    account: account.address,
    chainId,
    nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(16))),
  })
}

function notProvenError({ kind, address }: NewOwner, chainId: number): BaseError {
  return new BaseError('The new owner could not prove that it can sign for the account. No owner was removed.', {
    code: 'OWNER_NOT_PROVEN',
    metaMessages: [
      `Owner: ${kind} ${address}`,
      `Chain: ${chainId}`,
      kind === 'passkey'
        ? 'Use a passkey of this site that verifies its user, for example by fingerprint or PIN.'
        : 'Check that the owner signs with the key of this address; a contract must be deployed on this chain.',
    ],
  })
}

function messagesOnlyError(): BaseError {
  return new BaseError('This owner signs messages only, so it can join other owners and not replace them.', {
    code: 'ARGUMENT_INVALID',
    metaMessages: ["Pass `keep: 'all'`, and an account that can have several owners."],
  })
}

function keptOwnerError({ source, version }: LatchkeyAccount): BaseError {
  return new BaseError(`A ${source} ${version} has exactly one owner, so the present owner cannot stay.`, {
    code: 'OWNERS_INVALID',
    metaMessages: ['Pass `keep: []` to replace the owner, or upgrade the account: see `addOwner`.'],
  })
}

function strangerError(address: Address, chainId: number): BaseError {
  return new BaseError('`keep` names an address that is not an owner of the account.', {
    code: 'OWNERS_INVALID',
    metaMessages: [`Address: ${address}`, `Chain: ${chainId}`, 'See `readAccountOwners`.'],
  })
}
