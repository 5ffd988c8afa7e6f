import { accountOf, type OperationClient } from '../../actions/OperationClient.ts'
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
  // A bundler answers no reads: the account's own client does.
  const reading = (method: string) => {
    const { client: reader, address } = accountOf(client, {}, method)
    return [reader, { account: address }] as const
  }
  return {
    getExecutionFunctionConfig: async ({ selector }) => {
      const [reader, of] = reading('getExecutionFunctionConfig')
      return getExecutionFunctionConfig(reader, { ...of, selector })
    },
    getExecutionHooks: async ({ selector }) => {
      const [reader, of] = reading('getExecutionHooks')
      return getExecutionHooks(reader, { ...of, selector })
    },
    getInstalledPlugins: async () => getInstalledPlugins(...reading('getInstalledPlugins')),
    getPreValidationHooks: async ({ selector }) => {
      const [reader, of] = reading('getPreValidationHooks')
      return getPreValidationHooks(reader, { ...of, selector })
    },
  }
}
