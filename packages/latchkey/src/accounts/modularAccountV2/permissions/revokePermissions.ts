import { modularAccountV2Modules } from 'latchkey-protocol'
import { encodeAbiParameters, encodeFunctionData, type Hex, isAddressEqual, parseAbi, parseAbiParameters } from 'viem'
import { requireChain } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { readNonce } from '../../entryPoint.ts'
import type { LatchkeyAccount } from '../../types.ts'
import { encodeNonceKey } from '../nonceKey.ts'
import { getValidationData } from '../readValidations.ts'
import { encodeUninstallValidation } from '../validations.ts'
import { type PermissionsGrant, requireModularAccountV2 } from './grantPermissions.ts'

const entryPointAbi = /* @__PURE__ */ parseAbi(['function incrementNonce(uint192 key)'])

export declare namespace revokePermissions {
  type Parameters = SendOptions & (OfKey | OfGrant)
  type OfKey = {
    /** Entity id of the key in the account. */
    entityId: number
    grant?: undefined
  }
  type OfGrant = {
    /** Grant of this account on this chain. */
    grant: PermissionsGrant
    entityId?: undefined
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Revokes the permissions of a key on the client's chain. Uninstalls the key, and invalidates grants with the same
 * entity id that were never used. Accepts an entity id or a grant.
 *
 * @throws `SESSION_KEY_NOT_FOUND` if the grant is neither installed nor usable, or belongs to another account or chain;
 * `UNSUPPORTED_ACCOUNT_TYPE`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { revokePermissions } from 'latchkey/accounts'
 * import { client } from './config.ts'
 *
 * const hash = await revokePermissions(client, { entityId: 1, waitForTxn: true })
 * console.log(hash)
 * ```
 */
export async function revokePermissions(
  client: OperationClient,
  { grant, entityId: id, ...options }: revokePermissions.Parameters,
): Promise<revokePermissions.ReturnType> {
  const entityId = grant === undefined ? id : grant.entityId
  const account = requireModularAccountV2(requireAccount(client, options, 'revokePermissions'))
  const uninstallation = await encodeUninstallation(account, entityId)
  if (grant && !(await isRevocable(account, grant, uninstallation))) throw notFoundError(account, grant)
  const keys = [true, false].map((isGlobalValidation) =>
    encodeNonceKey(0n, { entityId, isGlobalValidation, hasDeferredAction: true }),
  )
  // An unused grant is valid for the next nonce of its key, even after an uninstallation.
  const invalidations = keys.map((key) => ({
    to: account.entryPoint.address,
    data: encodeFunctionData({ abi: entryPointAbi, functionName: 'incrementNonce', args: [key] }),
  }))
  const own = uninstallation ? [{ to: account.address, data: uninstallation }] : []
  const callData = await account.encodeCalls([...own, ...invalidations])
  return sendCallData(client, { ...options, account, callData })
}

async function isRevocable(
  account: LatchkeyAccount,
  grant: PermissionsGrant,
  uninstallation: Hex | undefined,
): Promise<boolean> {
  const { client, address, entryPoint } = account
  if (!isAddressEqual(grant.account, address) || grant.chainId !== requireChain(client).id) return false
  if (uninstallation) return true
  const nonce = BigInt(grant.deferredAction.nonce)
  return (await readNonce({ client, entryPoint: entryPoint.address, address, key: nonce >> 64n })) === nonce
}

/** Encodes the uninstallation of a key and its hooks. Returns undefined if the key is not installed. */
async function encodeUninstallation(account: LatchkeyAccount, entityId: number): Promise<Hex | undefined> {
  const moduleAddress = modularAccountV2Modules.singleSigner
  const found = await getValidationData(account.client, { account: account.address, moduleAddress, entityId })
  if (!found.isUserOpValidation) return undefined
  const hooks = [...found.validationHooks, ...found.executionHooks]
  return encodeUninstallValidation({
    moduleAddress,
    entityId,
    uninstallData: encodeEntity(entityId),
    hookUninstallDatas: hooks.map((hook) =>
      hook.address === modularAccountV2Modules.allowlist
        ? encodeAbiParameters(parseAbiParameters('uint32, (address,bool,bool,uint256,bytes4[])[]'), [hook.entityId, []])
        : encodeEntity(hook.entityId),
    ),
  })
}

const encodeEntity = (entityId: number) => encodeAbiParameters([{ type: 'uint32' }], [entityId])

function notFoundError({ address }: LatchkeyAccount, { account, chainId, entityId }: PermissionsGrant): BaseError {
  return new BaseError(`The account has no key with the entity id ${entityId}.`, {
    code: 'SESSION_KEY_NOT_FOUND',
    metaMessages: [
      `Account: ${address}`,
      `The grant is of the account ${account} on chain ${chainId}.`,
      'It was revoked, or is of another account or chain: revoke it with a client of these.',
    ],
  })
}
