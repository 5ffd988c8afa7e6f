import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminApiKey } from 'latchkey/wire'
import { useState } from 'react'
import { useApiKeys, useOperator } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { toTime } from '../format.ts'
import { Card, Pill } from '../parts/Card.tsx'
import { Failure } from '../parts/Notice.tsx'
import { Table } from '../parts/Table.tsx'

type Made = { key: AdminApiKey; secret: string }

const isEnded = ({ revokedAt }: AdminApiKey) => revokedAt !== null && Date.parse(revokedAt) <= Date.now()

export function ApiKeys({ projectId }: { projectId: string }) {
  const list = useApiKeys(projectId)
  const operator = useOperator()
  const client = useQueryClient()
  const [made, setMade] = useState<Made>()
  const mayChange = operator.data !== undefined && operator.data.role !== 'viewer'
  const keysPath = `/projects/${encodeURIComponent(projectId)}/api-keys`
  const settled = () => client.invalidateQueries({ queryKey: ['api-keys', projectId] })
  const change = useMutation({
    mutationFn: ({ id, verb }: { id: string; verb: 'rotate' | 'disable' }) =>
      askAdmin<AdminApiKey | Made>(`${keysPath}/${id}/${verb}`, { method: 'POST', body: {} }),
    onSuccess: (result) => setMade('secret' in result ? result : undefined),
    onSettled: settled,
  })
  const columns: readonly ColumnDef<AdminApiKey>[] = [
    { id: 'name', header: 'Name', cell: ({ row }) => row.original.name },
    { id: 'start', header: 'Begins with', cell: ({ row }) => <code>{row.original.start}…</code> },
    { id: 'chains', header: 'Chains', cell: ({ row }) => row.original.chains?.join(', ') ?? 'all' },
    {
      id: 'state',
      header: 'State',
      cell: ({ row: { original } }) =>
        isEnded(original) ? (
          <Pill tone="bad">ended</Pill>
        ) : original.revokedAt ? (
          <Pill tone="warn">ends {toTime(original.revokedAt)}</Pill>
        ) : (
          <Pill tone="ok">works</Pill>
        ),
    },
    { id: 'made', header: 'Made', cell: ({ row }) => toTime(row.original.createdAt) },
    {
      id: 'actions',
      header: 'Actions',
      cell: ({ row: { original } }) =>
        mayChange && !isEnded(original) ? (
          <KeyActions
            name={original.name}
            isBusy={change.isPending}
            onPress={(verb) => change.mutate({ id: original.id, verb })}
          />
        ) : null,
    },
  ]
  return (
    <>
      {made && <NewSecret made={made} onSeen={() => setMade(undefined)} />}
      <Card title="API keys">
        {change.error && <Failure error={change.error} />}
        <Table
          label="API keys"
          list={list}
          columns={columns}
          toKey={({ id }) => id}
          empty="No key but that of the projects file, which is changed there."
        />
      </Card>
      {mayChange && projectId !== '' && <NewKey path={keysPath} onMade={setMade} onSettled={settled} />}
    </>
  )
}

type ActionProps = { name: string; isBusy: boolean; onPress(verb: 'rotate' | 'disable'): void }

/** Ending a key cannot be taken back, so that it is asked for twice. */
function KeyActions({ name, isBusy, onPress }: ActionProps) {
  const [isSure, setSure] = useState(false)
  return (
    <p className="actions">
      <button
        type="button"
        className="button"
        disabled={isBusy}
        aria-label={`Rotate ${name}`}
        onClick={() => onPress('rotate')}
      >
        Rotate
      </button>
      <button
        type="button"
        className="button bad"
        disabled={isBusy}
        aria-label={isSure ? `Yes, end ${name}` : `End ${name}`}
        onBlur={() => setSure(false)}
        onClick={() => (isSure ? onPress('disable') : setSure(true))}
      >
        {isSure ? 'Really end it?' : 'End'}
      </button>
    </p>
  )
}

function NewSecret({ made, onSeen }: { made: Made; onSeen(): void }) {
  return (
    <div className="notice ok" role="status">
      <p>
        The key {made.key.name}, shown this once: <code className="secret">{made.secret}</code>
      </p>
      <button type="button" className="button" onClick={onSeen}>
        I have kept it
      </button>
    </div>
  )
}

function NewKey({ path, onMade, onSettled }: { path: string; onMade(made: Made): void; onSettled(): unknown }) {
  const [name, setName] = useState('')
  const [chains, setChains] = useState('')
  const create = useMutation({
    mutationFn: () =>
      askAdmin<Made>(path, {
        method: 'POST',
        body: { name, ...(chains !== '' && { chains: chains.split(/[\s,]+/).map(Number) }) },
      }),
    onSuccess(result) {
      onMade(result)
      setName('')
      setChains('')
    },
    onSettled,
  })
  return (
    <Card title="New key">
      <form
        className="inset"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <div className="filters">
          <label className="field grow">
            Name
            <input value={name} required maxLength={128} onChange={(event) => setName(event.target.value)} />
          </label>
          <label className="field grow">
            Chain ids
            <input
              value={chains}
              placeholder="all"
              pattern="[1-9]\d*([\s,]+[1-9]\d*)*"
              onChange={(event) => setChains(event.target.value)}
            />
          </label>
        </div>
        <button type="submit" className="button primary" disabled={create.isPending}>
          Make it
        </button>
        {create.error && <Failure error={create.error} />}
      </form>
    </Card>
  )
}
