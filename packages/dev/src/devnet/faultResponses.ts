import { setTimeout } from 'node:timers/promises'
import { errorCodes } from 'latchkey-protocol'
import type { Address, Hex } from 'viem'
import {
  entryPoint06Address,
  formatUserOperation,
  getUserOperationHash,
  type RpcUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'

export type FaultyRole = 'custody' | 'gateway' | 'authFrame'

export type JsonRpcCall = { method?: string | undefined; params?: readonly unknown[] | undefined; id?: unknown }

export type RoleFault =
  | 'custody-429'
  | 'custody-slow'
  | 'custody-consensus'
  | 'frame-never-ready'
  | 'bundler-refuses'
  | 'operation-dropped'
  | 'paymaster-refuses'

/** Request to a role with its JSON-RPC call. */
export type FaultCall = JsonRpcCall & { request: Request; role: FaultyRole; chainId: number }

type Fault = {
  matches(call: FaultCall): boolean
  /** Returns the fault's response, or undefined to let the server respond. */
  respond(call: FaultCall, given: { delayMs: number; reason: string }): Promise<Response | undefined>
}

/** Faults of the server's roles by name: which requests they affect, and how they respond. */
export const faultResponses: Readonly<Record<RoleFault, Fault>> = {
  'custody-429': {
    matches: ({ role }) => role === 'custody',
    async respond() {
      const body = { code: 8, message: 'Too many requests. Try again in 1 second.', details: [] }
      return Response.json(body, { status: 429, headers: { 'Retry-After': '1' } })
    },
  },
  'custody-slow': {
    matches: ({ role }) => role === 'custody',
    async respond(_, { delayMs }) {
      await setTimeout(delayMs)
      return undefined
    },
  },
  'custody-consensus': {
    matches: ({ role, request }) => role === 'custody' && new URL(request.url).pathname.includes('/submit/'),
    async respond({ request }) {
      const { type = '', organizationId = '' } = (await request.json()) as { type?: string; organizationId?: string }
      const status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
      const id = crypto.randomUUID()
      return Response.json({ activity: { id, organizationId, type, status, intent: {}, result: {}, votes: [] } })
    },
  },
  'frame-never-ready': {
    matches: ({ role, request }) => role === 'authFrame' && /text\/html/.test(request.headers.get('accept') ?? ''),
    async respond() {
      return new Response('<!doctype html><title>Silent frame</title>', { headers: { 'Content-Type': 'text/html' } })
    },
  },
  'bundler-refuses': {
    matches: ({ role, method }) => role === 'gateway' && method === 'eth_sendUserOperation',
    async respond({ id }, { reason }) {
      return rpcError(id, { code: -32500, message: reason })
    },
  },
  'operation-dropped': {
    matches: ({ role, method }) => role === 'gateway' && method === 'eth_sendUserOperation',
    async respond({ params, chainId, id }) {
      return Response.json({ jsonrpc: '2.0', id, result: hashOperation(params, chainId) })
    },
  },
  'paymaster-refuses': {
    matches: ({ role, method = '' }) => role === 'gateway' && paidMethods.test(method),
    async respond({ id }) {
      const message = 'The gas policy does not pay for this operation: a fault of the devnet refuses it.'
      return rpcError(id, { code: -32501, message, data: { code: errorCodes.POLICY_REFUSED, rule: 'fault' } })
    },
  },
}

const paidMethods = /^(latchkey_prepareUserOperation|pm_getPaymaster\w*|alchemy_request\w*)$/

const rpcError = (id: unknown, error: { code: number; message: string; data?: object }): Response =>
  Response.json({ jsonrpc: '2.0', id, error })

/** Returns the operation's hash (ERC-4337), as `eth_sendUserOperation` does. */
function hashOperation([operation, entryPointAddress]: readonly unknown[] = [], chainId: number): Hex {
  const entryPointVersion = entryPointAddress === entryPoint06Address ? '0.6' : '0.7'
  const userOperation = formatUserOperation(operation as RpcUserOperation)
  return getUserOperationHash({
    chainId,
    entryPointAddress: entryPointAddress as Address,
    entryPointVersion,
    userOperation: userOperation as UserOperation<typeof entryPointVersion>,
  })
}
