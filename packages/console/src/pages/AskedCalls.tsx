import { Card } from '@latchkey/ui/Card'
import type { AdminCall, AdminOperation, AdminOperationCalls } from 'latchkey-protocol/admin'
import { useOperationCalls } from '../api/queries.ts'
import { toCount, toEther } from '../format.ts'
import { Hex } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { AssetChanges } from './AssetChanges.tsx'

export function AskedCalls({ operation: { userOpHash, state } }: { operation: AdminOperation }) {
  const { data, error, refetch } = useOperationCalls(userOpHash, state)
  return (
    <>
      {data && data.changes.length > 0 && (
        <AssetChanges
          title="Requested token changes"
          changes={data.changes}
          note="Read from the calls, not from what happened: a contract can move more or less."
        />
      )}
      <Card title="Calls" aside={data?.calls ? toCount(data.count) : undefined}>
        {data ? <Calls asked={data} /> : error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting />}
      </Card>
    </>
  )
}

function Calls({ asked: { callData, calls, count } }: { asked: AdminOperationCalls }) {
  if (callData === null)
    return <Empty>No call data stored: it wasn’t sent through this gateway, or a bundler rejected it.</Empty>
  if (calls === null)
    return (
      <div className="inset">
        <p>
          <Hex value={callData.slice(0, 10)} short={callData.slice(0, 10)} /> is not a known account call, or it is too
          large to decode.
        </p>
        <Bytes data={callData} />
      </div>
    )
  if (calls.length === 0) return <Empty>No calls</Empty>
  return (
    <>
      <ol className="rows">
        {calls.map((call, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls differ by their order alone.
          <li key={index} className="inset">
            <Call call={call} />
          </li>
        ))}
      </ol>
      {count > calls.length && (
        <p className="quiet inset">
          First {calls.length} of {toCount(count)}
        </p>
      )}
      <p className="quiet inset">
        Function names are guesses based on the selector; the contract may use it differently.
      </p>
    </>
  )
}

function Call({ call: { to, value, selector, signature, arguments: values, data } }: { call: AdminCall }) {
  return (
    <>
      <p>
        <b>{signature ?? selector ?? (value === '0' ? 'Empty call' : 'Transfer')}</b>{' '}
        <span className="quiet">to {to}</span>
      </p>
      {value !== '0' && <p>Value: {toEther(BigInt(value))}</p>}
      {values.length > 0 && (
        <dl className="facts">
          {values.map(({ name, type, value: text }) => (
            <div key={name}>
              <dt>
                {name} <span className="quiet">{type}</span>
              </dt>
              <dd>
                <code>{text}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {values.length === 0 && data.length > shortest && selector !== null && <Bytes data={data} />}
    </>
  )
}

/** Length of a call without arguments, which is only its selector. */
const shortest = 10
const shownDigits = 600

function Bytes({ data }: { data: string }) {
  const cut = data.slice(0, shownDigits)
  if (cut === data) return <pre>{data}</pre>
  return (
    <details>
      <summary>Show all {toCount((data.length - 2) / 2)} bytes</summary>
      <pre className="bytes">{data}</pre>
    </details>
  )
}
