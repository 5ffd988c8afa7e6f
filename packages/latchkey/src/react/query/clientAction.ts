import { BaseError } from '../../core/errors/BaseError.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Actions a client can be extended with: functions by name. */
export type ClientActions = { readonly [name: string]: (...args: never[]) => unknown }

/** One of them, with what it is to be called with. */
export type ClientActionParameters<actions extends ClientActions> = {
  [name in keyof actions]: { functionName: name; args: Parameters<actions[name]> }
}[keyof actions]

export type ClientActionResult<actions extends ClientActions> = Awaited<ReturnType<actions[keyof actions]>>

/** Options of the mutation that calls any action a client can be extended with. */
export function clientActionMutationOptions<actions extends ClientActions>(
  client: SmartAccountClient | undefined,
  actions: (client: SmartAccountClient) => actions,
  options?: MutationOptions<ClientActionResult<actions>, ClientActionParameters<actions>>,
): Mutation<ClientActionResult<actions>, ClientActionParameters<actions>> {
  return clientMutation({
    hook: 'useClientActions',
    key: 'clientAction',
    client,
    options,
    act: async (by, { functionName, args }) => {
      const action: ((...args: never[]) => unknown) | undefined = actions(by)[functionName]
      if (!action) throw new BaseError(`${String(functionName)} is not an action`, { code: 'CLIENT_INCOMPATIBLE' })
      const result = await action(...(args as never[]))
      // TypeScript cannot tell that the result of one action is one of the results.
      return result as never
    },
  })
}
