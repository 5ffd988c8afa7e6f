import { modularAccountV2Modules, type Permission, type PermissionPlan, planPermissions } from 'latchkey-protocol'
import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  parseAbiParameters,
  type TypedDataDefinition,
} from 'viem'
import { requireAddress, requireChain } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount } from '../../actions/OperationClient.ts'
import { readNonce } from '../../entryPoint.ts'
import type { LatchkeyAccount } from '../../types.ts'
import { encodeDeferredAction, toDeferredActionTypedData } from '../deferredAction.ts'
import { encodeNonceKey } from '../nonceKey.ts'
import { encodeInstallValidation } from '../validations.ts'

/** Permissions of a key, as JSON. The key's holder uses the grant to create an account object. Contains no secrets. */
export type PermissionsGrant = {
  account: Address
  chainId: number
  /** Address of the key. */
  key: Address
  entityId: number
  isGlobalValidation: boolean
  hasExecutionHooks: boolean
  /** Factory address and factory call data, for an account that is not deployed yet. */
  initCode: Hex
  /** Installation of the key, signed by the owner and executed by the key's first operation. */
  deferredAction: { nonce: Hex; deadline: number; call: Hex; signature: Hex }
}

export declare namespace grantPermissions {
  type Parameters = {
    /** Address of the session key. */
    key: Address
    permissions: readonly Permission[]
    /** Expiration time of the key, in seconds since the epoch. @default never */
    expirySec?: number | undefined
    /** Entity id of the key in the account, from 1 to 2147483646. @default random */
    entityId?: number | undefined
    /** @default the client's account */
    account?: LatchkeyAccount | undefined
  }
  type ReturnType = PermissionsGrant
}

/**
 * Grants permissions of a Modular Account v2 to another key. The owner only signs. The key's first operation installs
 * the permissions on the chain. Pass the result to `toModularAccountV2` as `grant`, with the key as `owner`.
 *
 * @throws `PERMISSIONS_INVALID` for permissions that are contradictory, or would let the key change the account or its
 * own limits; `ADDRESS_INVALID`, `ACCOUNT_NOT_FOUND`, `CLIENT_INCOMPATIBLE`, and errors of the owner's signature.
 *
 * @example
 * ```ts
 * import { grantPermissions, toModularAccountV2 } from 'latchkey/accounts'
 * import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
 * import { client, publicClient } from './config.ts'
 *
 * const key = privateKeyToAccount(generatePrivateKey())
 * const address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
 * const grant = await grantPermissions(client, {
 *   key: key.address,
 *   permissions: [{ type: 'erc20-token-transfer', data: { address, allowance: '0x64' } }],
 *   expirySec: Math.floor(Date.now() / 1000) + 86_400,
 * })
 * const session = await toModularAccountV2({ client: publicClient, owner: key, grant })
 * console.log(session.address)
 * ```
 */
export async function grantPermissions(
  client: OperationClient,
  parameters: grantPermissions.Parameters,
): Promise<grantPermissions.ReturnType> {
  const { permissions, expirySec = 0, entityId = randomEntityId() } = parameters
  const account = requireModularAccountV2(requireAccount(client, parameters, 'grantPermissions'))
  const key = requireAddress(parameters.key)
  const plan = planPermissions({ account: account.address, entityId, permissions, expirySec })
  if ('refused' in plan) throw new BaseError(plan.refused, { code: 'PERMISSIONS_INVALID' })
  const { isGlobal, hasExecutionHooks } = plan
  const chainId = requireChain(account.client).id
  const call = encodePlan(plan, { key, entityId })
  const nonceKey = encodeNonceKey(0n, { entityId, isGlobalValidation: isGlobal, hasDeferredAction: true })
  const { address, entryPoint } = account
  const nonce = await readNonce({ client: account.client, entryPoint: entryPoint.address, address, key: nonceKey })
  const action = { nonce, deadline: expirySec, call }
  const typedData: TypedDataDefinition = toDeferredActionTypedData({ ...action, account: address, chainId })
  const [signature, initCode] = await Promise.all([account.signTypedData(typedData), account.getFactoryInitCode()])
  return {
    account: address,
    chainId,
    key,
    entityId,
    isGlobalValidation: isGlobal,
    hasExecutionHooks,
    initCode,
    deferredAction: { nonce: numberToHex(nonce), deadline: expirySec, call, signature },
  }
}

/**
 * Returns the permissions context of a grant for wallet APIs, to pass as `capabilities.permissions` of prepared calls.
 *
 * @example
 * ```ts
 * import { grantPermissions, toPermissionsContext } from 'latchkey/accounts'
 * import { client } from './config.ts'
 *
 * const key = '0x1563915e194D8CfBA1943570603F7606A3115508'
 * const grant = await grantPermissions(client, { key, permissions: [{ type: 'root' }] })
 * const capabilities = { permissions: { context: toPermissionsContext(grant) } }
 * console.log(capabilities)
 * ```
 */
export function toPermissionsContext({ hasExecutionHooks, deferredAction }: PermissionsGrant): Hex {
  const nonce = BigInt(deferredAction.nonce)
  return concat([
    '0x01',
    hasExecutionHooks ? '0x01' : '0x00',
    numberToHex(nonce, { size: 32 }),
    encodeDeferredAction({ ...deferredAction, nonce }),
  ])
}

function randomEntityId(): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1))
  return 1 + (value % 2_147_483_646)
}

/** Encodes the installation of a key with its permissions. */
function encodePlan(plan: PermissionPlan, { key, entityId }: { key: Address; entityId: number }): Hex {
  const { isGlobal, selectors, hooks } = plan
  const moduleAddress = modularAccountV2Modules.singleSigner
  return encodeInstallValidation({
    validationConfig: { moduleAddress, entityId, isUserOpValidation: true, isGlobal },
    selectors,
    installData: encodeAbiParameters(parseAbiParameters('uint32, address'), [entityId, key]),
    hooks: hooks.map(({ module, entityId, hookType, hasPreHooks, types, values }) => ({
      hookConfig: { moduleAddress: module, entityId, hookType, hasPreHooks },
      initData: encodeAbiParameters(parseAbiParameters(types), values),
    })),
  })
}

/** @throws `UNSUPPORTED_ACCOUNT_TYPE`. */
export function requireModularAccountV2(account: LatchkeyAccount): LatchkeyAccount {
  if (account.source === 'ModularAccountV2') return account
  throw new BaseError(`${account.source} has no permissions for keys.`, {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: ['Use a ModularAccountV2; or the session key plugin of a MultiOwnerModularAccount.'],
  })
}
