import { useQueryClient } from '@tanstack/react-query'
import { useSendUserOperation, type useSmartAccountClient } from 'latchkey/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Address, type Hex, zeroAddress } from 'viem'
import { sentence } from '../format.ts'
import type { Timings } from '../parts/TimingBars.tsx'
import { type Activity, addActivity, readActivity, updateActivity } from './activity.ts'

type Client = NonNullable<useSmartAccountClient.ReturnType['client']>
export type Operation = { title: string; target: Address; data: Hex }

/** Sends one operation at a time, follows it into a block, and writes both down in the activity under `key`. */
export function useOperations(client: Client | undefined, key: string | null) {
  const queryClient = useQueryClient()
  const { sendUserOperationAsync } = useSendUserOperation({ client })
  const [isBusy, setIsBusy] = useState(false)
  const [timings, setTimings] = useState<Timings | null>(null)
  const [failure, setFailure] = useState<{ title: string; text: string } | null>(null)
  const followed = useRef(new Set<Hex>())

  const settle = useCallback(
    async (id: string, hash: Hex) => {
      if (!client || key === null || followed.current.has(hash)) return
      followed.current.add(hash)
      await follow(client, key, id, hash)
      await queryClient.invalidateQueries({ queryKey: ['holdings'] })
    },
    [client, key, queryClient],
  )

  // What a reload interrupted is taken up again.
  useEffect(() => {
    if (key === null) return
    for (const { id, status, userOpHash } of readActivity(key))
      if (status === 'pending' && userOpHash) settle(id, userOpHash).catch(console.error)
  }, [key, settle])

  const run = async ({ title, target, data }: Operation): Promise<boolean> => {
    if (!client || key === null) return false
    const id = crypto.randomUUID()
    setIsBusy(true)
    setFailure(null)
    try {
      const sent = await sendUserOperationAsync({ uo: { target, data } })
      addActivity(key, { id, title, status: 'pending', at: Date.now(), userOpHash: sent.hash })
      const sentAt = performance.now()
      await settle(id, sent.hash)
      const { prepareMs, signMs, sendMs } = sent.timings
      setTimings({ prepare: prepareMs, sign: signMs, send: sendMs, included: performance.now() - sentAt })
      return true
    } catch (error) {
      console.error(error)
      setFailure({ title, text: sentence(error) })
      return false
    } finally {
      setIsBusy(false)
    }
  }

  return { run, isBusy, timings, failure }
}

async function follow(client: Client, key: string, id: string, hash: Hex): Promise<void> {
  const change = (entry: Partial<Activity>) => updateActivity(key, id, entry)
  try {
    await client.waitForUserOperationTransaction({ hash })
    const receipt = await client.getUserOperationReceipt(hash)
    change({
      status: 'done',
      block: receipt?.receipt.blockNumber.toLocaleString('en-US'),
      gasUsed: receipt?.actualGasUsed.toString(),
      isSponsored: receipt?.paymaster !== undefined && receipt.paymaster !== zeroAddress,
    })
  } catch (error) {
    change({ status: 'failed', note: sentence(error) })
    throw error
  }
}
