import { setTimeout } from 'node:timers/promises'
import type { listen } from 'latchkey-server'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import type { InboxMessage } from '../inbox/createMessageStore.ts'
import { type FaultCall, type FaultyRole, faultResponses, type JsonRpcCall, type RoleFault } from './faultResponses.ts'

/** Faults of e-mail delivery to the inbox. */
const mailFaults = ['mail-late', 'mail-twice', 'mail-never', 'mail-scanned'] as const
type MailFault = (typeof mailFaults)[number]

export type FaultName = RoleFault | MailFault | 'fee-spike'

export declare namespace createDevnetFaults {
  type Options = {
    /**
     * Number of requests or e-mails after which the fault ends. A fee spike ends automatically: the base fee drops by
     * an eighth with each block.
     * @default until the fault is ended
     */
    times?: number | undefined
    /** Delay of 'custody-slow' and 'mail-late', in milliseconds. @default 5_000 */
    delayMs?: number | undefined
    /** EntryPoint error of 'bundler-refuses'. @default 'AA23 reverted' */
    reason?: string | undefined
  }
  type ReturnType = {
    faults: DevnetFaults
    /** Wraps a role's server, so that its faults apply. */
    before(role: FaultyRole, fetch: listen.Fetch): listen.Fetch
    /** Delivers an e-mail to the inbox, unless a fault prevents it. */
    deliver(message: InboxMessage, add: (message: InboxMessage) => void): Promise<void>
  }
}

export type DevnetFaults = {
  /**
   * Starts a fault by name. Resolves to a function that ends the fault. Several faults can be active at the same time.
   *
   * - 'custody-429', 'custody-slow', 'custody-consensus': custody limits requests, is slow, or requires a second
   *   approval
   * - 'frame-never-ready': the auth frame loads, but sends no message
   * - 'bundler-refuses', 'operation-dropped': the bundler refuses an operation with `reason`, or accepts it and never
   *   bundles it
   * - 'paymaster-refuses': the gas policy sponsors nothing
   * - 'fee-spike': the base fee of the next block is a hundred times as high
   * - 'mail-late', 'mail-twice', 'mail-never', 'mail-scanned': `mail-scanned` opens each link before the user does
   *
   * @throws `ARGUMENT_INVALID` for another name.
   */
  begin(name: FaultName, options?: createDevnetFaults.Options): Promise<() => Promise<void>>
  /** Ends all faults. */
  clear(): Promise<void>
}

type Running = { name: FaultName; left: number; delayMs: number; reason: string; end: () => Promise<void> }

const maxBodyBytes = 1_000_000
const scanTimeoutMs = 5_000

/** Creates the faults of a devnet. Calls `readNode` when a fault needs the chain. */
export function createDevnetFaults(
  readNode: () => Promise<{ url: string; chainId: number }>,
): createDevnetFaults.ReturnType {
  const running = new Set<Running>()
  /** Returns the first active fault that matches, and counts this use. */
  const take = (matches: (name: FaultName) => boolean): Running | undefined => {
    const found = [...running].find(({ name }) => matches(name))
    if (found && --found.left <= 0) running.delete(found)
    return found
  }
  const begin = async (name: FaultName, options: createDevnetFaults.Options = {}) => {
    if (!(name in faultResponses) && name !== 'fee-spike' && !isMailFault(name))
      throw new DevError(`There is no fault named '${name}'.`, {
        code: 'ARGUMENT_INVALID',
        hint: `Use one of ${[...Object.keys(faultResponses), ...mailFaults, 'fee-spike'].join(', ')}.`,
      })
    const { times = Number.POSITIVE_INFINITY, delayMs = 5_000, reason = 'AA23 reverted' } = options
    const undo = name === 'fee-spike' ? await raiseBaseFee((await readNode()).url) : async () => undefined
    const entry: Running = { name, left: times, delayMs, reason, end: undo }
    running.add(entry)
    return async () => {
      if (running.delete(entry)) await entry.end()
    }
  }
  return {
    faults: {
      begin,
      async clear() {
        const ending = [...running]
        running.clear()
        await Promise.all(ending.map(({ end }) => end()))
      },
    },
    before: (role, fetch) => async (request, env) => {
      if (running.size === 0 || request.method === 'OPTIONS') return fetch(request, env)
      const { chainId } = await readNode()
      const call: FaultCall = { request, role, chainId, ...(await readCall(request)) }
      const found = take((name) => isResponse(name) && faultResponses[name].matches(call))
      if (!found || !isResponse(found.name)) return fetch(request, env)
      const response = await faultResponses[found.name].respond(call, found)
      return response ? withOrigin(response, request) : fetch(request, env)
    },
    async deliver(message, add) {
      const found = take(isMailFault)
      if (found?.name === 'mail-never') return
      if (found?.name === 'mail-scanned') await Promise.allSettled(message.links.map(scan))
      if (found?.name === 'mail-twice') add({ ...message, id: `${message.id}-2` })
      if (found?.name === 'mail-late')
        // Not awaited: only the delivery is delayed, not the sender.
        void setTimeout(found.delayMs, undefined, { ref: false }).then(() => add(message))
      else add(message)
    },
  }
}

const isMailFault = (name: FaultName): name is MailFault => mailFaults.includes(name as MailFault)
const isResponse = (name: FaultName): name is RoleFault => name in faultResponses

/** Returns the JSON-RPC call in a request, if there is one. Reads a copy, so that the server can read the body. */
async function readCall(request: Request): Promise<JsonRpcCall> {
  if (request.method !== 'POST' || Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return {}
  try {
    const body = (await request.clone().json()) as JsonRpcCall
    return { method: body.method, params: body.params, id: body.id }
  } catch {
    return {}
  }
}

/** Adds CORS headers to a fault's response, so that pages can read it like a server response. */
function withOrigin(response: Response, request: Request): Response {
  const origin = request.headers.get('origin')
  if (origin) response.headers.set('Access-Control-Allow-Origin', origin)
  response.headers.append('Vary', 'Origin')
  return response
}

const scan = (link: string): Promise<Response> => fetch(link, { signal: AbortSignal.timeout(scanTimeoutMs) })

async function raiseBaseFee(url: string): Promise<() => Promise<void>> {
  const { baseFeePerGas } = await rpc<{ baseFeePerGas: string }>({
    url,
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
  })
  const set = async (fee: bigint): Promise<void> => {
    await rpc({ url, method: 'anvil_setNextBlockBaseFeePerGas', params: [`0x${fee.toString(16)}`] })
    await rpc({ url, method: 'evm_mine' })
  }
  await set(BigInt(baseFeePerGas) * 100n)
  return () => set(BigInt(baseFeePerGas))
}
