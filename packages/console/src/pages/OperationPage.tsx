import { Address } from '@latchkey/ui/Address'
import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminShownOperation } from 'latchkey-protocol/admin'
import { useLiveOperations, useOperation, useOperator } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { toCount, toDuration, toEther, toPlain, toSentenceCase, toTime } from '../format.ts'
import { Link } from '../parts/Link.tsx'
import { Failure, Waiting } from '../parts/Notice.tsx'
import { StatePill } from '../parts/StatePill.tsx'
import { toSpans, Waterfall } from '../parts/Waterfall.tsx'
import { AskedCalls } from './AskedCalls.tsx'
import { AssetChanges } from './AssetChanges.tsx'

export function OperationPage({ userOpHash }: { userOpHash: string }) {
  const found = useOperation(userOpHash)
  useLiveOperations(found.data?.projectId ?? '')
  if (found.isPending) return <Waiting />
  if (!found.data) return <Failure error={found.error} onRetry={() => void found.refetch()} />
  return (
    <>
      <p>
        <Link to="/operations">All operations</Link>
      </p>
      <Timeline operation={found.data} />
      <Outcome operation={found.data} />
      <AskedCalls operation={found.data} />
      <Facts operation={found.data} />
    </>
  )
}

function Timeline({ operation }: { operation: AdminShownOperation }) {
  const { state, success, timeline, failure, explanation } = operation
  return (
    <Card title="Timeline" aside={<StatePill state={state} success={success} />}>
      <div className="inset">
        {explanation && (
          <div className="notice bad">
            <p>
              <b>{explanation.what}</b> {explanation.hint}
            </p>
            <p className="quiet">
              {explanation.code}
              {explanation.reason && ` · ${toPlain(explanation.reason)}`}
            </p>
          </div>
        )}
        {failure && <p className="failure">{toPlain(failure)}</p>}
        <Waterfall timeline={timeline} />
        <ol className="steps">
          {timeline.map(({ state: name, at }) => (
            <li key={name}>
              <b>{toSentenceCase(name)}</b> <time dateTime={at}>{toTime(at)}</time>
              {toSpans(timeline)
                .filter((span) => span.name === name)
                .map(({ ms }) => (
                  <span key={name} className="quiet">
                    {' '}
                    after {toDuration(ms)}
                  </span>
                ))}
            </li>
          ))}
        </ol>
        <Resend operation={operation} />
      </div>
    </Card>
  )
}

/** Shows the token changes in the operation's receipt; nothing without a receipt or changes. */
function Outcome({ operation: { outcome } }: { operation: AdminShownOperation }) {
  if (!outcome || outcome.count === 0) return null
  const { changes, count } = outcome
  const rest = count > changes.length ? `First ${changes.length} of ${toCount(count)}. ` : ''
  return (
    <AssetChanges
      title="Token transfers"
      changes={changes}
      note={`${rest}From the receipt’s logs, this account’s first. Native coin transfers are not logged.`}
    />
  )
}

/**
 * Resends an operation that a bundler accepted and that is in no block. The bytes are the same, so nothing is paid
 * twice.
 */
function Resend({ operation: { userOpHash, state, resends } }: { operation: AdminShownOperation }) {
  const operator = useOperator()
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => askAdmin(`/operations/${userOpHash}/resend`, { method: 'POST', body: {} }),
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
  // An operation whose request broke off before the bundler responded must be resent by the client itself.
  if (state !== 'seen') return null
  if (operator.data?.role === 'viewer') return <p className="quiet">Only operators and admins can resubmit it.</p>
  return (
    <>
      <Button isBusy={resend.isPending} onClick={() => resend.mutate()}>
        Resubmit
      </Button>
      {resends > 0 && <p className="quiet">Resubmitted {resends === 1 ? 'once' : `${resends} times`}</p>}
      {resend.isSuccess && <p role="status">Queued for resubmission.</p>}
      {resend.error && <Failure error={resend.error} />}
    </>
  )
}

function Facts({ operation }: { operation: AdminShownOperation }) {
  const { actualGasCost, actualGasUsed, maxCost } = operation
  const rows: readonly [name: string, value: string | null][] = [
    ['Operation hash', operation.userOpHash],
    ['Account', operation.sender],
    ['Nonce', operation.nonce],
    ['Chain', String(operation.chainId)],
    ['Entry point', operation.entryPoint],
    ['Paymaster', operation.paymaster ?? 'None (the account pays)'],
    ['Project', operation.projectId],
    ['Gas policy', operation.policyId],
    ['Max cost', maxCost && toEther(BigInt(maxCost))],
    ['Cost', actualGasCost && toEther(BigInt(actualGasCost))],
    ['Gas used', actualGasUsed && toCount(actualGasUsed)],
    ['Transaction', operation.transactionHash],
    ['Block', operation.blockNumber],
    ['Valid until', operation.validUntil && toTime(operation.validUntil)],
    ['Replaced by', operation.replacedBy],
  ]
  return (
    <Card title="Details">
      <dl className="facts">
        {rows
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{showValue(value)}</dd>
            </div>
          ))}
      </dl>
    </Card>
  )
}

function showValue(value: string | null) {
  if (value !== null && /^0x[0-9a-fA-F]{40}$/.test(value)) return <Address address={value} />
  return value?.startsWith('0x') ? <code>{value}</code> : value
}
