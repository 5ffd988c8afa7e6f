import { createClient, http, zeroHash } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { toLightAccount } from '../../../latchkey/src/accounts/lightAccount/toLightAccount.ts'
import { createSmartAccountClient } from '../../../latchkey/src/wallet/client/createSmartAccountClient.ts'
import { type RpcCall, type RpcReply, startRpcServer } from './rpcServer.ts'

const owner = mnemonicToAccount('test test test test test test test test test test test junk')

export const combined06 = {
  paymasterAndData: '0x4fd9098af9ddcb41da48a1d78f91f1398965addcaabb',
  callGasLimit: '0x1111',
  verificationGasLimit: '0x2222',
  preVerificationGas: '0x3333',
  maxFeePerGas: '0x4444',
  maxPriorityFeePerGas: '0x555',
}

export const combined07 = {
  ...combined06,
  paymasterAndData: undefined,
  paymaster: '0x4fd9098af9ddcb41da48a1d78f91f1398965addc',
  paymasterData: '0xaabb',
  paymasterVerificationGasLimit: '0x77',
  paymasterPostOpGasLimit: '0x88',
}

export const recordedReplies: Record<string, unknown> = {
  eth_getCode: '0x',
  eth_call: zeroHash,
  eth_getBlockByNumber: { baseFeePerGas: '0x3b9aca00' },
  rundler_maxPriorityFeePerGas: '0x3b9aca00',
  eth_estimateUserOperationGas: {
    callGasLimit: '0x7530',
    verificationGasLimit: '0x186a0',
    preVerificationGas: '0xc350',
  },
  alchemy_requestGasAndPaymasterAndData: combined06,
  alchemy_requestPaymasterAndData: { paymasterAndData: '0x4fd9098af9ddcb41da48a1d78f91f1398965addcccdd' },
  alchemy_simulateUserOperationAssetChanges: { changes: [] },
  pm_getPaymasterStubData: { paymasterAndData: '0x4fd9098af9ddcb41da48a1d78f91f1398965addceeff' },
  eth_sendUserOperation: zeroHash,
}

export type RecordedClientOptions = Omit<createSmartAccountClient.Parameters, 'account' | 'connection'> & {
  /** Returns a reply; undefined uses the recorded reply. */
  reply?: ((call: RpcCall) => RpcReply | undefined) | undefined
  version?: 'v1.1.0' | 'v2.0.0'
}

/** Creates a client of the account in the recorded calls (LightAccount, salt 99), and a server that replays them. */
export async function recordedClient({ reply, version, ...options }: RecordedClientOptions = {}) {
  const server = await startRpcServer((call) => reply?.(call) ?? recorded(call, version))
  const reader = createClient({ chain: options.chain ?? sepolia, transport: http(server.url) })
  const account = await toLightAccount({ client: reader, owner, salt: 99n, version })
  const connection = { rpcUrl: `${server.url}/v2/secret-key`, jwt: 'some-jwt', gateway: false }
  return { server, client: createSmartAccountClient({ account, connection, ...options }) }
}

function recorded({ method, params }: RpcCall, version: string | undefined): RpcReply {
  if (method === 'alchemy_requestGasAndPaymasterAndData') {
    const { overrides = {} } = params[0] as { overrides?: object }
    // Selects absolute values. Factors are objects.
    const kept = Object.entries(overrides).filter(([, value]) => typeof value === 'string')
    return { result: { ...(version === 'v2.0.0' ? combined07 : combined06), ...Object.fromEntries(kept) } }
  }
  if (version === 'v2.0.0' && method === 'pm_getPaymasterStubData')
    return { result: { paymaster: combined07.paymaster, paymasterData: '0xeeff' } }
  return { result: recordedReplies[method] ?? null }
}

/** Removes signatures, which cover fields that differ. */
export function apartFromSignature(calls: readonly { method: string; params: unknown[] }[]) {
  return calls.map((call) =>
    call.method === 'eth_sendUserOperation'
      ? { ...call, params: [{ ...(call.params[0] as object), signature: '0x' }, call.params[1]] }
      : call,
  )
}
