import { setTimeout } from 'node:timers/promises'
import type { listen } from 'latchkey-server'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import type { InboxMessage } from '../inbox/createMessageStore.ts'
import { type FaultCall, type FaultyRole, faultResponses, type JsonRpcCall, type RoleFault } from './faultResponses.ts'

/** What can go wrong with a mail on its way into the inbox. */
const mailFaults = ['mail-late', 'mail-twice', 'mail-never', 'mail-scanned'] as const
type MailFault = (typeof mailFaults)[number]

export type FaultName = RoleFault | MailFault | 'fee-spike'

export declare namespace createDevnetFaults {
  type Options = {
    /** Requests or mails until the fault ends by itself; a fee spike sinks by an eighth with each block. @default until it is ended */
    times?: number | undefined
    /** Of 'custody-slow' and 'mail-late', in milliseconds. @default 5_000 */
    delayMs?: number | undefined
    /** Of 'bundler-refuses': what the entry point says. @default 'AA23 reverted' */
    reason?: string | undefined
  }
  type ReturnType = {
    faults: DevnetFaults
    /** Puts the faults of a role before its server. */
    before(role: FaultyRole, fetch: listen.Fetch): listen.Fetch
    /** Takes a mail to the inbox, or not. */
    deliver(message: InboxMessage, add: (message: InboxMessage) => void): Promise<void>
  }
}

export type DevnetFaults = {
  /**
   * Begins a fault by its name; call what it resolves to, to end it. Several can run at once.
   *
   * - 'custody-429', 'custody-slow', 'custody-consensus': custody has too many requests, is slow, or wants a second approval
   * - 'frame-never-ready': the page of the auth frame loads and says nothing
   * - 'bundler-refuses', 'operation-dropped': an operation is refused with `reason`, or accepted and never bundled
   * - 'paymaster-refuses': the gas policy pays for nothing
   * - 'fee-spike': the base fee of the next block is a hundred times as high
   * - 'mail-late', 'mail-twice', 'mail-never', 'mail-scanned': `mail-scanned` opens each link before the person does
   *
   * @throws `ARGUMENT_INVALID` for another name.
   */
  begin(name: FaultName, options?: createDevnetFaults.Options): Promise<() => Promise<void>>
  /** Ends every fault. */
  clear(): Promise<void>
}

type Running = { name: FaultName; left: number; delayMs: number; reason: string; end: () => Promise<void> }

const maxBodyBytes = 1_000_000
const scanTimeoutMs = 5_000

/** The faults of a devnet. `readNode` is asked once a fault needs the chain. */
export function createDevnetFaults(
  readNode: () => Promise<{ url: string; chainId: number }>,
): createDevnetFaults.ReturnType {
  const running = new Set<Running>()
  /** The first fault of these that still counts, which is counted. */
  const take = (matches: (name: FaultName) => boolean): Running | undefined => {
    const found = [...running].find(({ name }) => matches(name))
    if (found && --found.left <= 0) running.delete(found)
    return found
  }
  const begin = async (name: FaultName, options: createDevnetFaults.Options = {}) => {
    if (!(name in faultResponses) && name !== 'fee-spike' && !isMailFault(name))
      throw new DevError(`There is no fault named '${name}'.`, {
        code: 'ARGUMENT_INVALID',
        hint: `Take one of ${[...Object.keys(faultResponses), ...mailFaults, 'fee-spike'].join(', ')}.`,
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
        // The sender is not kept waiting: it is the way after it that is slow.
        void setTimeout(found.delayMs, undefined, { ref: false }).then(() => add(message))
      else add(message)
    },
  }
}

const isMailFault = (name: FaultName): name is MailFault => mailFaults.includes(name as MailFault)
const isResponse = (name: FaultName): name is RoleFault => name in faultResponses

/** The JSON-RPC call of a request, where it is one. The body stays readable for the server. */
async function readCall(request: Request): Promise<JsonRpcCall> {
  if (request.method !== 'POST' || Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return {}
  try {
    const body = (await request.clone().json()) as JsonRpcCall
    return { method: body.method, params: body.params, id: body.id }
  } catch {
    return {}
  }
}

/** Pages may read what a fault says, as they may read what the server says. */
function withOrigin(response: Response, request: Request): Response {
  const origin = request.headers.get('origin')
  if (origin) response.headers.set('Access-Control-Allow-Origin', origin)
  response.headers.append('Vary', 'Origin')
  return response
}

/** As security software of a mail server does. */
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
