import { gatewayMethods } from 'latchkey-protocol'
import { numberToHex } from 'viem'
import type { RpcClient } from '../client/types.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleDraft, toRequest } from '../userOperation/states.ts'
import type { SettledDraft, UserOperationDraft } from '../userOperation/types.ts'
import { readPayment } from './gasManager.ts'
import type { MiddlewareContext, PaymasterSteps } from './types.ts'

export declare namespace erc7677Middleware {
  type Parameters = {
    /** Value that is sent to the service unchanged, for example to select a policy. @default {} */
    context?: unknown
    /** Viem client of the paymaster service. @default the client that sends the operation */
    service?: RpcClient | undefined
  }
  type ReturnType = { paymasterAndData: PaymasterSteps }
}

const signedByBoth = ['paymaster', 'paymasterData', 'paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const

const action = 'The paymaster service did not pay.'

/**
 * Creates middleware for any ERC-7677 paymaster service. Requests a stub before gas is estimated, and the paymaster's
 * signature afterwards, unless the stub was final. On EntryPoint 0.9 the paymaster signs at the same time as the owner,
 * so a built operation contains the stub's signature until it is signed.
 *
 * @example
 * ```ts
 * import { createSmartAccountClient, erc7677Middleware } from 'latchkey'
 * import { createClient, http } from 'viem'
 * import { account } from './config.ts'
 *
 * const service = createClient({ transport: http('https://paymaster.example/rpc') })
 * const connection = { rpcUrl: 'https://bundler.example/rpc' }
 * const paymaster = erc7677Middleware({ service, context: { policyId: 'mine' } })
 * const client = createSmartAccountClient({ account, connection, ...paymaster })
 * console.log(client.account.address)
 * ```
 */
export function erc7677Middleware(parameters: erc7677Middleware.Parameters = {}): erc7677Middleware.ReturnType {
  const { context = {}, service } = parameters
  const final = new WeakSet<MiddlewareContext>()
  async function ask(method: string, draft: UserOperationDraft, given: MiddlewareContext) {
    const { account, client } = given
    const format = getFormat(account)
    const settled = await settleDraft(draft)
    // The stub is requested before gas and fees are known (ERC-7677 § pm_getPaymasterStubData).
    const unknown: SettledDraft = Object.fromEntries(format.gasFields.map((field) => [field, 0n]))
    const operation = toRequest({ ...unknown, ...settled })
    const params = [operation, account.entryPoint.address, numberToHex(client.chain.id), context]
    const reply = readObject(await rpc(service ?? client, { method, params, action }), action)
    const limits = format.paymasterGasFields.filter((field) => reply[field] !== undefined)
    const gas: SettledDraft = Object.fromEntries(limits.map((field) => [field, readQuantity(reply[field], action)]))
    return { isFinal: reply.isFinal === true, draft: { ...settled, ...readPayment(reply, format), ...gas } }
  }
  const askToPay = (draft: UserOperationDraft, given: MiddlewareContext) =>
    ask(gatewayMethods.getPaymasterData, draft, given)
  return {
    paymasterAndData: {
      async dummyPaymasterAndData(draft, given) {
        const stub = await ask(gatewayMethods.getPaymasterStubData, draft, given)
        if (stub.isFinal) final.add(given)
        return stub.draft
      },
      paymasterAndData: async (draft, given) =>
        final.has(given) || draft.paymasterSignature ? draft : (await askToPay(draft, given)).draft,
      // EntryPoint 0.9 excludes the paymaster's signature from the hash, so owner and paymaster can sign at the same
      // time.
      cosign: (sign) => async (operation, given) => {
        if (!operation.paymasterSignature) return sign(operation, given)
        const [signed, { draft }] = await Promise.all([sign(operation, given), askToPay(operation, given)])
        const paid = { ...operation, ...draft }
        const isSame = signedByBoth.every((field) => paid[field] === operation[field])
        // The service changed a value that the owner has signed.
        const { paymasterSignature = operation.paymasterSignature } = draft
        return isSame ? { ...signed, paymasterSignature } : sign(paid, given)
      },
    },
  }
}
