import { BaseError, type OperationRecord } from 'latchkey'
import { useDropAndReplaceUserOperation, useSendUserOperation, type useSmartAccountClient } from 'latchkey/react'
import { useState } from 'react'
import type { Address, Hex } from 'viem'
import { isWaiting } from './activity.ts'

export type Client = NonNullable<useSmartAccountClient.ReturnType['client']>
export type Call = { target: Address; data: Hex }
/** `title`: text after a success. `failed`: text after a failure. */
export type Operation = { title: string; failed: string; calls: readonly Call[] }
/** Result of the last action, and the card that shows it. */
export type Outcome = { place: Place; text: string; error?: unknown }
export type Place = 'account' | 'send' | 'activity'
/** Durations of an operation's stages in milliseconds, in order. */
export type Timings = { prepare: number; sign: number; send: number; included: number }
type Sent = Awaited<ReturnType<Client['sendUserOperation']>>

/** Sends one operation at a time and waits until it is in a block. Latchkey stores the sent operations. */
export function useSending(client: Client | undefined) {
  const { sendUserOperationAsync } = useSendUserOperation({ client })
  const [isBusy, setIsBusy] = useState(false)
  const [timings, setTimings] = useState<Timings | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const fail = (place: Place, text: string, error: unknown) => {
    console.error(error)
    setOutcome({ place, text, error })
  }

  const run = async (place: Place, { title, failed, calls }: Operation): Promise<boolean> => {
    if (!client) return false
    setIsBusy(true)
    setOutcome(null)
    try {
      const sent = await sendUserOperationAsync({ uo: calls })
      const sentAt = performance.now()
      await waitForEnd(client, sent)
      const { prepareMs: prepare, signMs: sign, sendMs: send } = sent.timings
      setTimings({ prepare, sign, send, included: performance.now() - sentAt })
      setOutcome({ place, text: title })
      return true
    } catch (error) {
      fail(place, failed, error)
      return false
    } finally {
      setIsBusy(false)
    }
  }

  const { dropAndReplaceUserOperation, isDroppingAndReplacingUserOperation } = useDropAndReplaceUserOperation({
    client,
    onMutate: () => setOutcome(null),
    // Only logs errors, because the list shows the replacement's result.
    onSuccess: ({ hash }) => client?.waitForUserOperationTransaction({ hash }).catch(console.error),
    onError: (error) => fail('activity', 'Could not replace it', error),
  })
  const replace = ({ request }: OperationRecord) => request && dropAndReplaceUserOperation({ uoToDrop: request })

  return { run, isBusy, timings, outcome, replace, isReplacing: isDroppingAndReplacingUserOperation }
}

/** Resolves once an operation or its replacement is in a block. */
function waitForEnd(client: Client, { hash, request }: Sent): Promise<void> {
  const isRival = (other: OperationRecord) => other.hash !== hash && other.request?.nonce === request.nonce
  return new Promise((resolve, reject) => {
    const stop = client.watchOperations({
      onChange(operations) {
        const rival = operations.find((other) => isRival(other) && other.state === 'included')
        if (!rival) return
        stop()
        if (rival.isReverted) reject(new BaseError('Its call reverted.', { code: 'USER_OPERATION_REVERTED' }))
        else resolve()
      },
    })
    const end = async () => {
      try {
        await client.waitForUserOperationTransaction({ hash })
        resolve()
      } catch (error) {
        const operations = await client.listOperations().catch(() => [])
        // The call that has sent the replacement reports the result.
        if (operations.some((other) => isRival(other) && isWaiting(other))) return
        reject(error)
      }
      stop()
    }
    end()
  })
}
