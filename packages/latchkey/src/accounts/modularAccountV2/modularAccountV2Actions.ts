import { encodeFunctionData, type Hex } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { type AccountReads, accountReads } from '../actions/accountReads.ts'
import { type OperationClient, requireAccount } from '../actions/OperationClient.ts'
import { callSelf } from '../actions/sendCallData.ts'
import type { transferOwnership } from '../actions/transferOwnership.ts'
import { toOwner } from '../owner.ts'
import { modularAccountV2Abi } from './encoding.ts'
import { listValidations } from './listValidations.ts'
import { grantPermissions } from './permissions/grantPermissions.ts'
import { revokePermissions } from './permissions/revokePermissions.ts'
import { getExecutionData, getFallbackSigner, getValidationData } from './readValidations.ts'
import { installValidation, uninstallValidation } from './validations.ts'

export type ModularAccountV2Actions = AccountReads & {
  installValidation(parameters: installValidation.Parameters): Promise<installValidation.ReturnType>
  uninstallValidation(parameters: uninstallValidation.Parameters): Promise<uninstallValidation.ReturnType>
  grantPermissions(parameters: grantPermissions.Parameters): Promise<grantPermissions.ReturnType>
  revokePermissions(parameters: revokePermissions.Parameters): Promise<revokePermissions.ReturnType>
  /** Makes another address the owner of an account in the default mode. */
  transferOwnership(parameters: transferOwnership.Parameters): Promise<Hex>
  getValidationData(parameters: Omit<getValidationData.Parameters, 'account'>): Promise<getValidationData.ReturnType>
  getExecutionData(parameters: Omit<getExecutionData.Parameters, 'account'>): Promise<getExecutionData.ReturnType>
  getFallbackSigner(): Promise<getFallbackSigner.ReturnType>
  listValidations(parameters?: Omit<listValidations.Parameters, 'account'>): Promise<listValidations.ReturnType>
}

/**
 * Returns the actions of a Modular Account v2, for `client.extend`.
 *
 * @example
 * ```ts
 * import { modularAccountV2Actions } from 'latchkey/accounts'
 * import { client } from './config.ts'
 *
 * const { getFallbackSigner } = modularAccountV2Actions(client)
 * console.log((await getFallbackSigner()).signer)
 * ```
 */
export function modularAccountV2Actions(client: OperationClient): ModularAccountV2Actions {
  const reader = (method: string) => requireAccount(client, {}, method)
  return {
    ...accountReads(client),
    installValidation: (parameters) => installValidation(client, parameters),
    uninstallValidation: (parameters) => uninstallValidation(client, parameters),
    grantPermissions: (parameters) => grantPermissions(client, parameters),
    revokePermissions: (parameters) => revokePermissions(client, parameters),
    transferOwnership: async ({ newOwner, ...options }) => {
      const owner = requireAddress(typeof newOwner === 'string' ? newOwner : await toOwner(newOwner).getAddress())
      const args = [owner, false] as const
      const data = encodeFunctionData({ abi: modularAccountV2Abi, functionName: 'updateFallbackSignerData', args })
      return callSelf(client, { ...options, data }, 'transferOwnership')
    },
    getValidationData: async (parameters) => {
      const { client, address } = reader('getValidationData')
      return getValidationData(client, { ...parameters, account: address })
    },
    getExecutionData: async (parameters) => {
      const { client, address } = reader('getExecutionData')
      return getExecutionData(client, { ...parameters, account: address })
    },
    getFallbackSigner: async () => {
      const { client, address } = reader('getFallbackSigner')
      return getFallbackSigner(client, { account: address })
    },
    listValidations: async (parameters) => {
      const { client, address } = reader('listValidations')
      return listValidations(client, { ...parameters, account: address })
    },
  }
}
