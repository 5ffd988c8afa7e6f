import { errorCodes, type OperationEvent } from 'latchkey-protocol'
import { getAddress, type Hex, numberToHex } from 'viem'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { type LoggedEvent, listOperationEvents, readLastEventId } from '../../store/operations.ts'
import { createNotifier } from './createNotifier.ts'
import { operationLimits } from './operationLimits.ts'
import type { OperationNotifier } from './operationNotifier.ts'

const { heartbeatMs, maxStreamMs, eventsAtOnce } = operationLimits
const reconnectMs = 2_000
/** Milliseconds between reads of a stream without a notifier. */
const lookMs = 1_000

export declare namespace streamEvents {
  type Parameters = {
    db: Db
    notifier: OperationNotifier | undefined
    projectId: string
    /** Header `Last-Event-ID`: the last event that the client received. @default from now on */
    lastEventId: string | undefined
    /** Aborted when the client disconnects or the server closes. */
    signal: AbortSignal
    /** Called once, at the end. */
    onEnd(): void
  }
}

/**
 * Streams changes of a project's operations as server-sent events (WHATWG HTML § 9.2). Events are read only as fast as
 * the client accepts them, so a slow client uses no memory here. A comment every 15 seconds keeps the connection open.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function streamEvents(parameters: streamEvents.Parameters): Promise<Response> {
  const { db, notifier, projectId, signal, onEnd } = parameters
  let after = parseEventId(parameters.lastEventId) ?? (await readLastEventId(db, projectId))
  const wakeUps = createNotifier()
  const unsubscribe = notifier?.subscribe({ projectId }, wakeUps.notify)
  signal.addEventListener('abort', wakeUps.notify)
  const endsAt = performance.now() + maxStreamMs
  const encoder = new TextEncoder()
  let beatAt = performance.now() + heartbeatMs
  let hasEnded = false

  function end(): void {
    if (hasEnded) return
    hasEnded = true
    unsubscribe?.()
    signal.removeEventListener('abort', wakeUps.notify)
    onEnd()
  }

  async function next(): Promise<string | undefined> {
    for (;;) {
      if (signal.aborted || hasEnded || performance.now() >= endsAt) return undefined
      const events = await listOperationEvents(db, { projectId, after, limit: eventsAtOnce })
      after = events.at(-1)?.id ?? after
      if (events.length > 0) return events.map(toText).join('')
      if (performance.now() >= beatAt) return ':\n\n'
      await wakeUps.wait(Math.min(beatAt - performance.now(), notifier ? heartbeatMs : lookMs))
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${reconnectMs}\n\n`))
      },
      async pull(controller) {
        try {
          const text = await next()
          beatAt = performance.now() + heartbeatMs
          if (text !== undefined) return controller.enqueue(encoder.encode(text))
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel() {
        end()
        wakeUps.notify()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  return new Response(body, { headers })
}

function parseEventId(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,18}$/.test(text)) return text
  throw new ServerError(
    'The header Last-Event-ID must be the id of an event of this stream. Leave it out to begin now.',
    {
      code: errorCodes.REQUEST_INVALID,
      status: 400,
    },
  )
}

function toText(event: LoggedEvent): string {
  return `id: ${event.id}\nevent: operation\ndata: ${JSON.stringify(toOperationEvent(event))}\n\n`
}

function toOperationEvent(event: LoggedEvent): OperationEvent {
  return {
    userOpHash: event.user_op_hash as Hex,
    chainId: toHex(event.chain_id),
    entryPoint: getAddress(event.entry_point),
    sender: getAddress(event.sender),
    nonce: toHex(event.nonce),
    policyId: event.policy_id,
    state: event.state,
    confirmed: event.confirmed,
    at: event.created_at.toISOString(),
    blockNumber: event.block_number === null ? null : toHex(event.block_number),
    blockHash: event.block_hash as Hex | null,
    transactionHash: event.transaction_hash as Hex | null,
    success: event.success,
    actualGasCost: event.actual_gas_cost === null ? null : toHex(event.actual_gas_cost),
    replacedBy: event.replaced_by as Hex | null,
    failure: event.failure,
  }
}

const toHex = (decimal: string): Hex => numberToHex(BigInt(decimal))
