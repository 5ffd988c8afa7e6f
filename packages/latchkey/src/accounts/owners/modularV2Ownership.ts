import { modularAccountV2Modules } from 'latchkey-protocol'
import {
  type Address,
  type Client,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  keccak256,
  parseAbi,
  parseAbiParameters,
  slice,
  zeroAddress,
} from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { modularAccountV2Abi } from '../modularAccountV2/encoding.ts'
import { listValidations } from '../modularAccountV2/listValidations.ts'
import { toModuleOwner } from '../modularAccountV2/moduleOwner.ts'
import { getFallbackSigner, getValidationData } from '../modularAccountV2/readValidations.ts'
import { toModularAccountV2 } from '../modularAccountV2/toModularAccountV2.ts'
import { encodeInstallValidation, encodeUninstallValidation } from '../modularAccountV2/validations.ts'
import { callView } from '../reads/callView.ts'
import { describeOwners, lastOwnerError, resolveAddressOwner, signAsOptions } from './addressOwners.ts'
import { isPasskey, readPoint, toIdentifier } from './passkeyPoint.ts'
import type { AccountOwner, Ownership } from './types.ts'

const { singleSigner, webauthn } = modularAccountV2Modules
const signerArguments = /* @__PURE__ */ parseAbiParameters('uint32 entityId, address signer')
const passkeyArguments = /* @__PURE__ */ parseAbiParameters('uint32 entityId, uint256 x, uint256 y')
const entityArgument = /* @__PURE__ */ parseAbiParameters('uint32 entityId')

/**
 * Derives an owner's entity id from its address, so that the owner's validation can be found without searching events.
 */
const toEntityId = (address: Address) => Number(slice(keccak256(address), 0, 4)) || 1

export const modularV2Ownership: Ownership = {
  isSingle: false,
  read: readModularV2Owners,
  async has(client, account, { address, validation }) {
    if (isFirst(await readFallback(client, account), address)) return true
    if (!validation) return false
    const { isUserOpValidation, isGlobal } = await getValidationData(client, { account, ...validation })
    return isUserOpValidation && isGlobal
  },
  async resolve(client, given) {
    if (!isPasskey(given)) {
      const owner = await resolveAddressOwner(client, given)
      return { ...owner, validation: { moduleAddress: singleSigner, entityId: toEntityId(owner.address) } }
    }
    const passkey = readPoint(given)
    const address = toIdentifier(passkey)
    const validation = { moduleAddress: webauthn, entityId: toEntityId(address) }
    return { kind: 'passkey', address, passkey, validation, signer: toModuleOwner(given).owner, given }
  },
  async encodeAdd(account, { address, passkey, validation }) {
    if (!validation) throw lastOwnerError()
    const { entityId } = validation
    const installData = passkey
      ? encodeAbiParameters(passkeyArguments, [entityId, passkey.x, passkey.y])
      : encodeAbiParameters(signerArguments, [entityId, address])
    const validationConfig = {
      ...validation,
      isUserOpValidation: true,
      isSignatureValidation: true,
      isGlobal: true,
    }
    const data = encodeInstallValidation({ validationConfig, selectors: [], installData, hooks: [] })
    return [await account.encodeCalls([{ to: account.address, data }])]
  },
  async encodeRemove(account, owners) {
    const calls = owners.map(({ validation }) => {
      if (!validation) {
        const args = [zeroAddress, true] as const
        return encodeFunctionData({ abi: modularAccountV2Abi, functionName: 'updateFallbackSignerData', args })
      }
      const uninstallData = encodeAbiParameters(entityArgument, [validation.entityId])
      return encodeUninstallValidation({ ...validation, uninstallData, hookUninstallDatas: [] })
    })
    return account.encodeCalls(calls.map((data) => ({ to: account.address, data })))
  },
  async signAs(account, { given, address, validation }) {
    const options = await signAsOptions(account)
    const fallback = await readFallback(options.client, account.address)
    if (isFirst(fallback, address)) return toModularAccountV2({ ...options, owner: given })
    const signerEntity = { entityId: validation?.entityId ?? 0, isGlobalValidation: true }
    return toModularAccountV2({ ...options, owner: given, signerEntity })
  },
}

/** Reads the owner outside the modules. An account that was created with a passkey has none. */
const readFallback = (client: Client, account: Address): Promise<getFallbackSigner.ReturnType> =>
  getFallbackSigner(client, { account }).catch((error: unknown) => {
    if (error instanceof BaseError && error.code === 'OWNER_NOT_FOUND') return { signer: zeroAddress, isDisabled: true }
    throw error
  })

/** Checks whether an address is the account's original owner, or the owner that replaced the original one. */
const isFirst = ({ signer, isDisabled }: getFallbackSigner.ReturnType, address: Address) =>
  !isDisabled && isAddressEqual(signer, address)

const passkeysAbi = /* @__PURE__ */ parseAbi([
  'function signers(uint32 entityId, address account) view returns (uint256 x, uint256 y)',
])

/** Reads the owner, and the keys and passkeys that may do everything. Keys with limits are not owners. */
async function readModularV2Owners(client: Client, account: Address): Promise<AccountOwner[]> {
  const [fallback, validations] = await Promise.all([
    readFallback(client, account),
    listValidations(client, { account }),
  ])
  const first = fallback.isDisabled || fallback.signer === zeroAddress ? [] : [fallback.signer]
  const unlimited = validations.filter(
    ({ isGlobal, isUserOpValidation, validationHooks, executionHooks }) =>
      isGlobal && isUserOpValidation && validationHooks.length + executionHooks.length === 0,
  )
  const added = unlimited.map(async ({ moduleAddress, entityId, signer }): Promise<AccountOwner | undefined> => {
    const validation = { moduleAddress, entityId }
    if (signer) return { ...(await describeOwners(client, [signer]))[0], validation } as AccountOwner
    if (!isAddressEqual(moduleAddress, webauthn)) return undefined
    const passkey = await readModulePasskey(client, account, entityId)
    return passkey && { kind: 'passkey', address: toIdentifier(passkey), passkey, validation }
  })
  const found = await Promise.all(added)
  return [...(await describeOwners(client, first)), ...found.filter((owner) => owner !== undefined)]
}

async function readModulePasskey(client: Client, account: Address, entityId: number) {
  const call = { abi: passkeysAbi, functionName: 'signers' } as const
  const data = encodeFunctionData({ ...call, args: [entityId, account] })
  const result = await callView({ client, address: webauthn, data, action: 'Could not read a passkey of the account.' })
  if (!result) return undefined
  const [x, y] = decodeFunctionResult({ ...call, data: result })
  return { x, y }
}
