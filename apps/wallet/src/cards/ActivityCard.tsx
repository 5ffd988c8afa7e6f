import { Card } from '@latchkey/ui/Card'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { OperationRecord } from 'latchkey'
import { useOperations } from 'latchkey/react'
import { type ReactNode, useEffect, useState } from 'react'
import { type Address, zeroAddress } from 'viem'
import { formatClock, formatTime, toSentence } from '../format.ts'
import { KeyIcon } from '../parts/Icons.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { Row } from '../parts/Row.tsx'
import { isRival, isWaiting, type Note, useNotes, withoutReplaced } from '../state/activity.ts'
import { describeOperation } from '../state/describeOperation.ts'
import { explainReason } from '../state/explainRefusal.ts'
import type { Client, Outcome as Value } from '../state/useSending.ts'

type ActivityCardProps = {
  client: Client | undefined
  demo: Address
  storageKey: string
  outcome: Value | null
  isReplacing: boolean
  onReplace: (operation: OperationRecord) => void
}

/** Shows the client's operation records, including those from before a reload, together with this page's notes. */
export function ActivityCard({ client, demo, storageKey, outcome, isReplacing, onReplace }: ActivityCardProps) {
  const notes = useNotes(storageKey)
  const { operations = [], dismissOperation, error } = useOperations({ client })
  const shown = withoutReplaced(operations)
  useFreshHoldings(operations)
  const rows = [
    ...notes.map((note) => ({ at: note.at, row: <NoteRow key={note.id} note={note} /> })),
    ...shown.map((operation) => ({
      at: operation.createdAtMs,
      row: (
        <OperationRow
          key={operation.id}
          {...{ client, demo, operation }}
          isReplacement={operations.some(
            (other) => isRival(operation, other) && other.createdAtMs < operation.createdAtMs,
          )}
          onReplace={isReplacing ? undefined : onReplace}
          onDismiss={dismissOperation}
        />
      ),
    })),
  ].sort((one, other) => other.at - one.at)

  return (
    <Card className="activity" title="Activity">
      {rows.length === 0 ? (
        <p className="sub">{error ? toSentence(error) : 'Nothing yet. Your activity will appear here.'}</p>
      ) : (
        <ul className="list">{rows.map(({ row }) => row)}</ul>
      )}
      <Outcome outcome={outcome} />
    </Card>
  )
}

/** Refetches balances after an operation is included. */
function useFreshHoldings(operations: readonly OperationRecord[]): void {
  const queryClient = useQueryClient()
  const included = operations.filter(({ state }) => state === 'included').length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count changes with each inclusion.
  useEffect(() => {
    queryClient.invalidateQueries({ queryKey: ['holdings'] })
  }, [queryClient, included])
}

function NoteRow({ note: { title, note } }: { note: Note }) {
  return (
    <Row icon={<KeyIcon />} title={title} detail={note}>
      <span className="pill">Done</span>
    </Row>
  )
}

const words = {
  preparing: ['Signing', 'pending'],
  signed: ['Pending', 'pending'],
  sent: ['Pending', 'pending'],
  included: ['Done', ''],
  refused: ['Refused', 'failed'],
  notSent: ['Not sent', 'quiet'],
  failed: ['Failed', 'failed'],
} as const

type OperationRowProps = {
  client: Client | undefined
  demo: Address
  operation: OperationRecord
  isReplacement: boolean
  onReplace: ((operation: OperationRecord) => void) | undefined
  onDismiss: (id: string) => void
}

function OperationRow({ client, demo, operation, isReplacement, onReplace, onDismiss }: OperationRowProps) {
  const cost = useCost(client, operation)
  const title = describeOperation(operation.uo, demo)
  const [word, look] = operation.isReverted ? words.failed : words[operation.state]
  const isDone = operation.state === 'included' && !operation.isReverted
  const parts = [formatTime(operation.createdAtMs)]
  if (isReplacement) parts.push('replaced with a higher fee')
  const reason = explain(operation)
  if (reason) parts.push(reason)
  return (
    <Row
      icon={title.startsWith('Mint') ? '↙' : '↗'}
      title={title}
      detail={parts.join(' · ')}
      more={operation.hash && [operation.hash, ...cost]}
      action={
        isWaiting(operation) ? (
          <Waited since={operation.createdAtMs}>
            {onReplace && canReplace(operation) && (
              <button type="button" className="link" onClick={() => onReplace(operation)}>
                Replace with a higher fee
              </button>
            )}
          </Waited>
        ) : isDone || operation.state === 'preparing' ? null : (
          <button
            type="button"
            className="link"
            aria-label={`Dismiss: ${title}`}
            onClick={() => onDismiss(operation.id)}
          >
            Dismiss
          </button>
        )
      }
    >
      <span className={`pill ${look}`}>{word}</span>
    </Row>
  )
}

/** Operations of a session key have their own nonce key, and only the session key can replace them. */
const canReplace = ({ nonceKey }: OperationRecord) => nonceKey === 0n

/** Seconds for which an operation must be pending before the waiting time is shown. */
const patience = 2

/** Shows how long an operation has been pending, with the available actions. */
function Waited({ since, children }: { since: number; children: ReactNode }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.floor((now - since) / 1000)
  if (seconds < patience) return null
  return (
    <>
      <span className="mono">waiting for confirmation, {formatClock(seconds)}</span>
      {children}
    </>
  )
}

/** Returns a sentence that explains why an operation failed or is not in a block. */
function explain({ reason, isReverted, evidence }: OperationRecord): string | undefined {
  if (evidence?.kind === 'nonceUsed') return 'Another operation of this account went first.'
  if (evidence?.kind === 'paymasterExpired') return 'Its sponsorship expired.'
  return isReverted ? 'Its call reverted.' : reason && explainReason(reason)
}

/** Returns the block and the gas cost of an included operation. */
function useCost(client: Client | undefined, { state, hash }: OperationRecord): readonly string[] {
  const { data: receipt } = useQuery({
    queryKey: ['receipt', hash],
    enabled: client !== undefined && hash !== undefined && state === 'included',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (client && hash && (await client.getUserOperationReceipt(hash))) || null,
  })
  if (!receipt) return []
  const gas = receipt.actualGasUsed.toLocaleString('en-US')
  const isSponsored = receipt.paymaster !== undefined && receipt.paymaster !== zeroAddress
  return [
    `Block ${receipt.receipt.blockNumber.toLocaleString('en-US')}`,
    isSponsored ? `Gas ${gas}, sponsored` : `Gas ${gas}, paid by you`,
  ]
}
