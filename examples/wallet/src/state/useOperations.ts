import { useQueryClient } from '@tanstack/react-query'
import { BaseError } from 'latchkey'
import { useDropAndReplaceUserOperation, useSendUserOperation, type useSmartAccountClient } from 'latchkey/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Address, type Hex, zeroAddress } from 'viem'
import { toSentence } from '../format.ts'
import { type Activity, addActivity, readActivity, updateActivity, whenSettled } from './activity.ts'

export type Client = NonNullable<useSmartAccountClient.ReturnType['client']>
export type Call = { target: Address; data: Hex }
/** `title`: once it is done. `failed`: if it is not. */
export type Operation = { title: string; failed: string; calls: readonly Call[] }
/** What became of the last press at a place of the page. */
export type Outcome = { place: Place; text: string; error?: unknown }
export type Place = 'account' | 'send' | 'activity'
/** Milliseconds of each stage of one operation, in order. */
export type Timings = { prepare: number; sign: number; send: number; included: number }
type Request = Parameters<Client['dropAndReplaceUserOperation']>[0]['uoToDrop']

/** Sends one operation at a time, waits until it is in a block, and records both in the activity under `key`. */
export function useOperations(client: Client | undefined, key: string) {
  const { sendUserOperationAsync } = useSendUserOperation({ client })
  const [isBusy, setIsBusy] = useState(false)
  const [timings, setTimings] = useState<Timings | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [requests] = useState(() => new Map<string, Request>())
  const settle = useFollowed(client, key)
  const fail = (place: Place, text: string, error: unknown) => {
    console.error(error)
    setOutcome({ place, text, error })
  }

  const run = async (place: Place, { title, failed, calls }: Operation): Promise<boolean> => {
    if (!client) return false
    const id = crypto.randomUUID()
    setIsBusy(true)
    setOutcome(null)
    try {
      const { hash, request, timings: parts } = await sendUserOperationAsync({ uo: calls })
      requests.set(id, request)
      addActivity(key, { id, title, status: 'pending', at: Date.now(), userOpHash: hash })
      const sentAt = performance.now()
      settle(id, hash)
      const entry = await whenSettled(key, id)
      if (entry?.status === 'failed')
        throw new BaseError(entry.note ?? 'The operation failed.', { code: 'USER_OPERATION_REVERTED' })
      setTimings({
        prepare: parts.prepareMs,
        sign: parts.signMs,
        send: parts.sendMs,
        included: performance.now() - sentAt,
      })
      setOutcome({ place, text: title })
      return true
    } catch (error) {
      fail(place, failed, error)
      return false
    } finally {
      requests.delete(id)
      setIsBusy(false)
    }
  }

  const { dropAndReplaceUserOperation, isDroppingAndReplacingUserOperation } = useDropAndReplaceUserOperation({
    client,
    onError: (error) => fail('activity', 'Could not replace it', error),
  })
  const replace = (id: string) => {
    const uoToDrop = requests.get(id)
    if (!uoToDrop) return
    setOutcome(null)
    dropAndReplaceUserOperation(
      { uoToDrop },
      {
        onSuccess: ({ hash, request }) => {
          requests.set(id, request)
          updateActivity(key, id, { userOpHash: hash, note: 'replaced with a higher fee' })
          settle(id, hash)
        },
      },
    )
  }
  const replaceable = isDroppingAndReplacingUserOperation ? null : requests

  return { run, isBusy, timings, outcome, replace, replaceable }
}

/** Follows each operation once, also those sent before a reload. */
function useFollowed(client: Client | undefined, key: string) {
  const queryClient = useQueryClient()
  const followed = useRef(new Set<Hex>())
  const settle = useCallback(
    async (id: string, hash: Hex) => {
      if (!client || followed.current.has(hash)) return
      followed.current.add(hash)
      await followOperation(client, key, id, hash)
      await queryClient.invalidateQueries({ queryKey: ['holdings'] })
    },
    [client, key, queryClient],
  )
  useEffect(() => {
    for (const { id, status, userOpHash } of readActivity(key))
      if (status === 'pending' && userOpHash) settle(id, userOpHash)
  }, [key, settle])
  return settle
}

/** Waits for an operation and records its result. The failure of one that was replaced meanwhile is ignored. */
async function followOperation(client: Client, key: string, id: string, hash: Hex): Promise<void> {
  const change = (entry: Partial<Activity>) => updateActivity(key, id, entry)
  try {
    await client.waitForUserOperationTransaction({ hash })
    const receipt = await client.getUserOperationReceipt(hash)
    change({
      status: 'done',
      // The replaced operation can be the one that was included.
      userOpHash: hash,
      block: receipt?.receipt.blockNumber.toLocaleString('en-US'),
      gasUsed: receipt?.actualGasUsed.toString(),
      isSponsored: receipt?.paymaster !== undefined && receipt.paymaster !== zeroAddress,
    })
  } catch (error) {
    const entry = readActivity(key).find((one) => one.id === id)
    if (entry?.status !== 'pending' || entry.userOpHash !== hash) return
    console.error(error)
    change({ status: 'failed', note: toSentence(error) })
  }
}
