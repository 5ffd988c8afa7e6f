import { Card } from '@latchkey/ui/Card'
import type { AdminChain, AdminHealth } from 'latchkey-protocol/admin'
import { useChains, useHealth } from '../api/queries.ts'
import { shorten, toAge, toCount, toEther, toSentenceCase } from '../format.ts'
import { Hex, Pill } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'

export function Health() {
  return (
    <>
      <Roles />
      <Chains />
    </>
  )
}

const tones = { ready: 'ok', 'not ready': 'bad', silent: 'warn' } as const

function Roles() {
  const health = useHealth()
  if (health.isPending) return <Waiting />
  if (!health.data) return <Failure error={health.error} onRetry={() => void health.refetch()} />
  const { roles, copies } = health.data
  return (
    <>
      <dl className="figures">
        {roles.map(({ role, copies: all, ready }) => (
          <div key={role} className="figure">
            <dd>
              {ready} of {all}
            </dd>
            <dt>{toSentenceCase(role)} ready</dt>
          </div>
        ))}
      </dl>
      {roles
        .filter(({ lacking }) => lacking !== null)
        .map(({ role, lacking }) => (
          <p key={role} className="notice bad">
            No {role} replica works: {lacking}
          </p>
        ))}
      <Card title="Replicas">
        {copies.length === 0 && <Empty>No replica has reported yet. Each one does every 30 seconds.</Empty>}
        <ul className="rows">
          {copies.map((copy) => (
            <Copy key={copy.id} copy={copy} />
          ))}
        </ul>
      </Card>
    </>
  )
}

function Copy({ copy }: { copy: AdminHealth['copies'][number] }) {
  const { roles, version, status, problems, lacking, startedAt, seenAt } = copy
  const wrong = Object.entries({ ...lacking, ...problems })
  return (
    <li className="inset">
      <span>
        <b>{roles.join(', ')}</b> <Pill tone={tones[status]}>{toSentenceCase(status)}</Pill>
      </span>
      {wrong.map(([role, what]) => (
        <p key={role} className="failure">
          {role}: {what}
        </p>
      ))}
      <p className="quiet">
        Version {version} · started {toAge(startedAt)} · last seen {toAge(seenAt)}
      </p>
    </li>
  )
}

function Chains() {
  const chains = useChains()
  if (chains.isPending) return <Waiting />
  if (!chains.data) return <Failure error={chains.error} onRetry={() => void chains.refetch()} />
  if (chains.data.items.length === 0) return <Empty>No gateway has checked a chain yet.</Empty>
  return chains.data.items.map((chain) => <Chain key={chain.chainId} chain={chain} />)
}

function Chain({ chain }: { chain: AdminChain }) {
  const { chainId, head, bundlerEntryPoints, paymasters, readUpTo, error, errorAt, lookedAt } = chain
  const isWell = head !== null && bundlerEntryPoints !== null
  return (
    <Card
      title={`Chain ${chainId}`}
      aside={<Pill tone={isWell ? 'ok' : 'bad'}>{isWell ? 'Reachable' : 'Unreachable'}</Pill>}
    >
      {error && errorAt && (
        <p className="inset failure">
          {error}, {toAge(errorAt)}
        </p>
      )}
      <dl className="facts">
        <div>
          <dt>Latest block</dt>
          <dd>{head ? `${toCount(head.number)}, ${toAge(head.time)}` : 'No node found'}</dd>
        </div>
        <div>
          <dt>Bundler</dt>
          <dd>
            {bundlerEntryPoints
              ? `${bundlerEntryPoints.length} ${bundlerEntryPoints.length === 1 ? 'entry point' : 'entry points'}`
              : 'No bundler found'}
          </dd>
        </div>
        {paymasters.map(({ entryPoint, paymaster, deposit, stake }) => (
          <div key={entryPoint}>
            <dt>
              Paymaster <Hex value={paymaster} short={shorten(paymaster)} />
            </dt>
            <dd>
              {toEther(BigInt(deposit))} deposit, {toEther(BigInt(stake))} stake
            </dd>
          </div>
        ))}
        {readUpTo.map(({ entryPoint, number }) => (
          <div key={entryPoint}>
            <dt>
              Events of <Hex value={entryPoint} short={shorten(entryPoint)} />
            </dt>
            <dd>Read up to block {toCount(number)}</dd>
          </div>
        ))}
        <div>
          <dt>Last check</dt>
          <dd>{toAge(lookedAt)}</dd>
        </div>
      </dl>
    </Card>
  )
}
