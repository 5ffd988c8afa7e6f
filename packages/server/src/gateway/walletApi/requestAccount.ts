import { createHash } from 'node:crypto'
import { errorCodes } from 'latchkey-protocol'
import { type Address, getAddress, type Hex, zeroAddress } from 'viem'
import { z } from 'zod'
import { countLimit } from '../../platform/limits/limitNames.ts'
import { takeToken } from '../../platform/limits/takeToken.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { parseParams, quantity } from '../rpc/values.ts'
import {
  type AccountType,
  accountFactory,
  accountTypeWith,
  delegatedType,
  findAccountType,
  type Owners,
} from './accountTypes.ts'
import { account, accountNotFound, isAllowed, requireAccount, type WalletContext } from './context.ts'
import { defaultDelegate, needsAuthorization } from './delegation.ts'
import {
  countSmartAccounts,
  findSmartAccount,
  insertSmartAccount,
  listSmartAccounts,
  type SmartAccount,
} from './smartAccounts.ts'

/** Maximum number of owners that the factories accept. */
const maxOwners = 100
/** Account type of a signer without a hint. */
const defaultType = 'la-v2'
/** Limits on a project's new accounts, by key and by client IP address, since requests carry no proof of ownership. */
const newAccounts = { perKey: { limit: 20_000, windowMs: 3_600_000 }, perIp: { limit: 300, windowMs: 3_600_000 } }

const hint = z.object({
  accountType: z.string().max(64).optional(),
  salt: quantity.transform(BigInt).optional(),
  createAdditional: z.boolean().optional(),
  initialOwners: z.array(account).max(maxOwners).optional(),
})
type Hint = z.output<typeof hint>

const bySigner = z.object({
  signerAddress: account,
  id: z.uuid().optional(),
  creationHint: hint.default({}),
  includeCounterfactualInfo: z.boolean().optional(),
})
const byAddress = z.object({ accountAddress: account, includeCounterfactualInfo: z.boolean().optional() })
export const paramsSchema = z.tuple([z.union([bySigner, byAddress])])

export type RequestedAccount = {
  accountAddress: Address
  id: string
  /** Code that the address delegates to (EIP-7702). */
  delegation?: Address
  counterfactualInfo?: { factoryType: string; factoryAddress: Address; factoryData: Hex }
}

/**
 * Serves `wallet_requestAccount`: returns a signer's account, or the account at an address, with its factory data. For
 * a hint without a type, returns the signer's first account that has no other owner. Anyone may send requests in a
 * signer's name, and must not be able to select an account that others can spend from. The factory computes each
 * address, even for a stored account.
 *
 * @throws `UNSUPPORTED_ACCOUNT_TYPE`, `ACCOUNT_NOT_FOUND`, `OWNERS_INVALID`, `FACTORY_NOT_FOUND`,
 * `RATE_LIMIT_EXCEEDED`.
 */
export async function requestAccount(context: WalletContext, params: unknown): Promise<RequestedAccount> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const isKnown = 'accountAddress' in request
  if (!isKnown && request.creationHint.accountType === delegatedType) return toDelegated(context, request.signerAddress)
  if (isKnown && (await isDelegated(context, request.accountAddress)))
    return toDelegated(context, request.accountAddress)
  const found = isKnown ? await requireAccount(context, request.accountAddress) : await find(context, request)
  const { owners, type, salt } = readAccount(found)
  const computed = await readAddress(context, { owners, type, salt })
  if (computed.toLowerCase() !== found.address) throw accountNotFound(getAddress(found.address))
  const counterfactualInfo = {
    factoryType: type.factoryType,
    factoryAddress: accountFactory(type),
    factoryData: type.encodeCreate(owners, salt),
  }
  return {
    accountAddress: getAddress(found.address),
    id: found.id,
    ...(request.includeCounterfactualInfo && { counterfactualInfo }),
  }
}

/** Returns the account at a signer's own address. It has no factory, so nothing is stored. */
function toDelegated({ caller }: WalletContext, address: Address): RequestedAccount {
  // Returns the same id for each request, in the form of a random UUID, since clients check the form.
  const digits = createHash('sha256').update(`${caller.projectId} ${address}`).digest('hex')
  const id = digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
  return { accountAddress: address, id, delegation: defaultDelegate }
}

/** Returns whether an address that the project did not request delegates to the code of an account on any chain. */
async function isDelegated({ db, caller, chains }: WalletContext, address: Address): Promise<boolean> {
  if (await findSmartAccount(db, { projectId: caller.projectId, address })) return false
  for (const { chainId, node } of chains) {
    if (!isAllowed(caller, chainId)) continue
    // A chain that does not respond, or has other code at this address, does not exclude the other chains.
    if (!(await needsAuthorization(node, { address }).catch(() => true))) return true
  }
  return false
}

export function readAccount(row: Pick<SmartAccount, 'factory_type' | 'owners' | 'salt'>): {
  type: AccountType
  owners: Owners
  salt: bigint
} {
  const [first = zeroAddress, ...rest] = row.owners.map((owner) => getAddress(owner))
  return { type: accountTypeWith(row.factory_type), owners: [first, ...rest], salt: BigInt(row.salt) }
}

async function find(context: WalletContext, request: z.output<typeof bySigner>): Promise<SmartAccount> {
  const { db, caller } = context
  const { signerAddress, id, creationHint } = request
  const { projectId } = caller
  if (creationHint.accountType === undefined && (id !== undefined || !creationHint.createAdditional)) {
    const [existing] = await listSmartAccounts(db, { projectId, signer: signerAddress, limit: 1, id })
    if (existing && isSoleOwner(existing)) return existing
    if (existing) throw ownersUnnamed()
  }
  const type = findAccountType(creationHint.accountType ?? defaultType)
  const owners = listOwners(type, signerAddress, creationHint)
  // Each client-chosen id results in a different salt, and thus a different account.
  const salt = creationHint.salt ?? (id === undefined ? 0n : BigInt(`0x${id.replaceAll('-', '')}`))
  const address = await readAddress(context, { type, owners, salt })
  const known = await findSmartAccount(db, { projectId, address })
  if (known) return known
  await reserveCapacity(context)
  return insertSmartAccount(db, {
    id,
    project_id: projectId,
    signer: signerAddress.toLowerCase(),
    address: address.toLowerCase(),
    factory_type: type.factoryType,
    owners: owners.map((owner) => owner.toLowerCase()),
    salt: String(salt),
  })
}

const isSoleOwner = ({ owners, signer }: SmartAccount): boolean => owners.length === 1 && owners[0] === signer

/**
 * Creates the error for an account that a stranger may have requested in the signer's name, with the stranger as owner.
 */
function ownersUnnamed(): RpcError {
  return new RpcError('The account with this id has other owners. Name its type and owners in creationHint.', {
    code: errorCodes.ACCOUNT_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

/** Returns the owners including the signer, as the factories require: distinct, without the zero address, ascending. */
function listOwners({ hasSeveralOwners }: AccountType, signer: Address, { initialOwners = [] }: Hint): Owners {
  if (!hasSeveralOwners && initialOwners.some((owner) => owner !== signer))
    throw invalidOwners('An account of this type has one owner, the signer. Leave initialOwners out.')
  const named = hasSeveralOwners ? [...initialOwners, signer] : [signer]
  const distinct = [...new Set(named)].filter((owner) => owner !== zeroAddress)
  const [first, ...rest] = distinct.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  if (!first || distinct.length > maxOwners)
    throw invalidOwners(`An account has 1 to ${maxOwners} owners that are not zero.`)
  return [first, ...rest]
}

function invalidOwners(message: string): RpcError {
  return new RpcError(message, { code: errorCodes.OWNERS_INVALID, rpcCode: rpcCodes.invalidParams })
}

/**
 * Reads the address from the factory on the first chain that has the factory, since the address is the same on all
 * chains.
 */
async function readAddress(
  { chains, caller }: WalletContext,
  { type, owners, salt }: { type: AccountType; owners: Owners; salt: bigint },
): Promise<Address> {
  const to = accountFactory(type)
  const call = { to, data: type.encodeGetAddress(owners, salt) }
  for (const { chainId, node } of chains) {
    if (!isAllowed(caller, chainId)) continue
    const result = await node.call('eth_call', [call, 'latest'])
    if (typeof result === 'string' && /^0x0{24}[0-9a-fA-F]{40}$/.test(result))
      return getAddress(`0x${result.slice(26)}`)
  }
  throw new RpcError(`No chain served at this address has the factory of ${type.factoryType} (${to}).`, {
    code: errorCodes.FACTORY_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

/** Counts a new row of a project against its limits. @throws `RATE_LIMIT_EXCEEDED`. */
export async function reserveCapacity({ db, caller }: WalletContext): Promise<void> {
  const { projectId, keyId, ip } = caller
  const tokens = [
    ...(ip === undefined
      ? []
      : [{ name: 'gateway.newAccountsPerIp', key: `new accounts ip ${ip}`, ...newAccounts.perIp } as const]),
    {
      name: 'gateway.newAccountsPerKey',
      key: `new accounts key ${projectId} ${keyId}`,
      ...newAccounts.perKey,
    } as const,
  ]
  for (const { name, ...token } of tokens) {
    const taken = await takeToken(db, { ...token, table: 'gateway_limits' })
    if (taken.ok) continue
    countLimit(name)
    throw new RpcError('Too many new accounts were asked for from here. Wait before you ask for more.', {
      code: errorCodes.RATE_LIMIT_EXCEEDED,
      rpcCode: rpcCodes.limitExceeded,
      retryAfterMs: taken.retryAfterMs,
    })
  }
}

export const listSchema = z.tuple([
  z.object({ signerAddress: account, limit: z.int().min(1).max(100).default(100), after: z.uuid().optional() }),
])

/**
 * Serves `wallet_listAccounts`: the signer's accounts in this project without another owner, oldest first. Requests
 * carry no proof, so an account that a stranger requested in the signer's name is never listed.
 */
export async function listAccounts({ db, caller }: WalletContext, params: unknown) {
  const [{ signerAddress: signer, limit, after }] = parseParams(listSchema, params, 'params')
  const { projectId } = caller
  const rows = await listSmartAccounts(db, { projectId, signer, limit: limit + 1, after })
  const shown = rows.slice(0, limit)
  return {
    accounts: shown.map(({ address, id, owners }) => ({
      accountAddress: getAddress(address),
      id,
      owners: owners.map((owner) => getAddress(owner)),
    })),
    meta: {
      totalCount: await countSmartAccounts(db, { projectId, signer }),
      after: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    },
  }
}
