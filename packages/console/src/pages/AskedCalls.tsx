import { Card } from '@latchkey/ui/Card'
import type { AdminCall, AdminOperation, AdminOperationCalls } from 'latchkey-protocol/admin'
import { useOperationCalls } from '../api/queries.ts'
import { toCount, toEther } from '../format.ts'
import { Hex } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { AssetChanges } from './AssetChanges.tsx'

/** Shows an operation's calls and their effects on tokens and the chain's coin. */
export function AskedCalls({ operation: { userOpHash, state } }: { operation: AdminOperation }) {
  const { data, error, refetch } = useOperationCalls(userOpHash, state)
  return (
    <>
      {data && data.changes.length > 0 && (
        <AssetChanges
          title="What the calls ask for"
          changes={data.changes}
          note="This is asked for, which is not what happened: a contract can move more or less."
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
    return <Empty>No bytes of it are kept: it was not sent through this gateway, or a bundler refused it.</Empty>
  if (calls === null)
    return (
      <div className="inset">
        <p>
          <Hex value={callData.slice(0, 10)} short={callData.slice(0, 10)} /> is no known form of an account’s calls, or
          it is too large to be decoded.
        </p>
        <Bytes data={callData} />
      </div>
    )
  if (calls.length === 0) return <Empty>It calls nothing.</Empty>
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
          The first {calls.length} of {toCount(count)}.
        </p>
      )}
      <p className="quiet inset">
        Names are those that a selector commonly has. A contract can mean something else by one.
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
      {value !== '0' && <p>With {toEther(BigInt(value))}</p>}
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

/** Length of a call without arguments: its selector. */
const shortest = 10
const shownDigits = 600

/** Shows the beginning, and everything on request. */
function Bytes({ data }: { data: string }) {
  const cut = data.slice(0, shownDigits)
  if (cut === data) return <pre>{data}</pre>
  return (
    <details>
      <summary>All {toCount((data.length - 2) / 2)} bytes</summary>
      <pre className="bytes">{data}</pre>
    </details>
  )
}
