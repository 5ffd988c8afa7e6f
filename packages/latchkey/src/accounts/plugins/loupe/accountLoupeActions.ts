import type { OperationClient } from '../../actions/OperationClient.ts'
import { readerOf } from '../readerOf.ts'
import { getExecutionFunctionConfig } from './getExecutionFunctionConfig.ts'
import { getExecutionHooks } from './getExecutionHooks.ts'
import { getInstalledPlugins } from './getInstalledPlugins.ts'
import { getPreValidationHooks } from './getPreValidationHooks.ts'

type Selector = Pick<getExecutionHooks.Parameters, 'selector'>

export type AccountLoupeActions = {
  getExecutionFunctionConfig(parameters: Selector): Promise<getExecutionFunctionConfig.ReturnType>
  getExecutionHooks(parameters: Selector): Promise<getExecutionHooks.ReturnType>
  getInstalledPlugins(): Promise<getInstalledPlugins.ReturnType>
  getPreValidationHooks(parameters: Selector): Promise<getPreValidationHooks.ReturnType>
}

/** What a modular account says of its plugins, for `client.extend(accountLoupeActions)`. */
export function accountLoupeActions(client: OperationClient): AccountLoupeActions {
  return {
    getExecutionFunctionConfig: async ({ selector }) => {
      const [reader, of] = readerOf(client, 'getExecutionFunctionConfig')
      return getExecutionFunctionConfig(reader, { ...of, selector })
    },
    getExecutionHooks: async ({ selector }) => {
      const [reader, of] = readerOf(client, 'getExecutionHooks')
      return getExecutionHooks(reader, { ...of, selector })
    },
    getInstalledPlugins: async () => getInstalledPlugins(...readerOf(client, 'getInstalledPlugins')),
    getPreValidationHooks: async ({ selector }) => {
      const [reader, of] = readerOf(client, 'getPreValidationHooks')
      return getPreValidationHooks(reader, { ...of, selector })
    },
  }
}
