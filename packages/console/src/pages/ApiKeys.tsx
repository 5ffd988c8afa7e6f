import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminApiKey } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { useApiKeys, useOperator } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { readServerTime } from '../api/serverTime.ts'
import { toCount, toPlain, toTime } from '../format.ts'
import { Pill } from '../parts/Figures.tsx'
import { Failure } from '../parts/Notice.tsx'
import { Table } from '../parts/Table.tsx'
import { KeyForm } from './KeyForm.tsx'

type Made = { key: AdminApiKey; secret: string }
/** The key being edited or rotated. */
type Open = { key: AdminApiKey; verb: 'edit' | 'rotate' }

const isEnded = ({ revokedAt }: AdminApiKey) => revokedAt !== null && Date.parse(revokedAt) <= readServerTime()

const columns: readonly ColumnDef<AdminApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ row: { original } }) => (
      <span title={`Created ${toTime(original.createdAt)}`}>
        {toPlain(original.name)}
        <br />
        <code className="quiet">{original.start}…</code>
      </span>
    ),
  },
  { id: 'chains', header: 'Chains', cell: ({ row }) => row.original.chains?.join(', ') ?? 'All' },
  {
    id: 'for',
    header: 'Restrictions',
    cell: ({ row: { original } }) => {
      const origins = original.origins?.length === 0 ? ['servers only'] : (original.origins ?? [])
      const words = [...origins, ...(original.methods ?? [])]
      return words.length === 0 ? '–' : <span className="words">{words.join(', ')}</span>
    },
  },
  {
    id: 'limits',
    header: 'Rate limit',
    cell: ({ row: { original } }) => toLimits(original).join(', ') || 'Server default',
  },
  { id: 'state', header: 'State', cell: ({ row }) => <KeyState apiKey={row.original} /> },
]

function toLimits({ requestsPerMinute, unitsPerMinute }: AdminApiKey): string[] {
  return [
    ...(requestsPerMinute === null ? [] : [`${toCount(requestsPerMinute)} requests/min`]),
    ...(unitsPerMinute === null ? [] : [`${toCount(unitsPerMinute)} units/min`]),
  ]
}

function KeyState({ apiKey }: { apiKey: AdminApiKey }) {
  if (isEnded(apiKey)) return <Pill tone="bad">Revoked</Pill>
  if (apiKey.revokedAt === null) return <Pill tone="ok">Active</Pill>
  return (
    <span title={toTime(apiKey.revokedAt)}>
      <Pill tone="warn">Expires {toTime(apiKey.revokedAt)}</Pill>
    </span>
  )
}

export function ApiKeys({ projectId }: { projectId: string }) {
  const list = useApiKeys(projectId)
  const operator = useOperator()
  const client = useQueryClient()
  const [made, setMade] = useState<Made>()
  const [open, setOpen] = useState<Open>()
  const mayChange = operator.data !== undefined && operator.data.role !== 'viewer'
  const path = `/projects/${encodeURIComponent(projectId)}/api-keys`
  const settled = () => client.invalidateQueries({ queryKey: ['api-keys', projectId] })
  const end = useMutation({
    mutationFn: (id: string) => askAdmin<AdminApiKey>(`${path}/${id}/disable`, { method: 'POST', body: {} }),
    onSettled: settled,
  })
  const actions: ColumnDef<AdminApiKey> = {
    id: 'actions',
    header: 'Actions',
    cell: ({ row: { original: key } }) =>
      isEnded(key) ? null : (
        <KeyActions
          name={key.name}
          isBusy={end.isPending}
          onOpen={(verb) => setOpen({ key, verb })}
          onEnd={() => end.mutate(key.id)}
        />
      ),
  }
  return (
    <>
      {made && <NewSecret made={made} onSeen={() => setMade(undefined)} />}
      {open && (
        <OpenKey
          key={`${open.key.id} ${open.verb}`}
          open={open}
          path={path}
          onMade={setMade}
          onSettled={settled}
          onClose={() => setOpen(undefined)}
        />
      )}
      <Card title="API keys">
        {end.error && <Failure error={end.error} />}
        <Table
          label="API keys"
          list={list}
          columns={mayChange ? [...columns, actions] : columns}
          toKey={({ id }) => id}
          empty="No keys yet, apart from the one in the projects file."
        />
      </Card>
      {mayChange && projectId !== '' && (
        <Card title="New key">
          <KeyForm path={path} onDone={setMade} onSettled={settled} />
        </Card>
      )}
    </>
  )
}

type ActionProps = { name: string; isBusy: boolean; onOpen(verb: Open['verb']): void; onEnd(): void }

/** Asks for confirmation, since revoking a key is irreversible. */
function KeyActions({ name, isBusy, onOpen, onEnd }: ActionProps) {
  const [isSure, setSure] = useState(false)
  return (
    <p className="actions">
      <Button aria-label={`Edit ${name}`} onClick={() => onOpen('edit')}>
        Edit
      </Button>
      <Button aria-label={`Rotate ${name}`} onClick={() => onOpen('rotate')}>
        Rotate
      </Button>
      <Button
        look="danger"
        isBusy={isBusy}
        aria-label={isSure ? `Yes, revoke ${name}` : `Revoke ${name}`}
        onBlur={() => setSure(false)}
        onClick={() => (isSure ? onEnd() : setSure(true))}
      >
        {isSure ? 'Revoke?' : 'Revoke'}
      </Button>
    </p>
  )
}

type OpenProps = { open: Open; path: string; onMade(made: Made): void; onSettled(): unknown; onClose(): void }

function OpenKey({ open: { key, verb }, path, onMade, onSettled, onClose }: OpenProps) {
  if (verb === 'rotate')
    return (
      <Card title={`Rotate ${key.name}`}>
        <Rotate path={`${path}/${key.id}/rotate`} onMade={onMade} onSettled={onSettled} onClose={onClose} />
      </Card>
    )
  return (
    <Card title={`Edit ${key.name}`}>
      <KeyForm path={`${path}/${key.id}`} edited={key} onDone={onClose} onSettled={onSettled} onCancel={onClose} />
    </Card>
  )
}

const overlaps = [
  [0, 'Stops working now'],
  [3_600, 'Works for another hour'],
  [86_400, 'Works for another day'],
  [604_800, 'Works for another week'],
] as const

/** Creates a key with the same rules. The old key stays valid while apps switch. */
function Rotate({ path, onMade, onSettled, onClose }: Omit<OpenProps, 'open'>) {
  const [overlapSeconds, setOverlap] = useState<number>(86_400)
  const rotate = useMutation({
    mutationFn: () => askAdmin<Made>(path, { method: 'POST', body: { overlapSeconds } }),
    onSuccess(made) {
      onMade(made)
      onClose()
    },
    onSettled,
  })
  return (
    <form
      className="inset"
      onSubmit={(event) => {
        event.preventDefault()
        rotate.mutate()
      }}
    >
      <Field className="choice" label="Old key">
        <select value={overlapSeconds} onChange={(event) => setOverlap(Number(event.target.value))}>
          {overlaps.map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      <p className="actions">
        <Button type="submit" look="primary" isBusy={rotate.isPending}>
          Create new key
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </p>
      {rotate.error && <Failure error={rotate.error} />}
    </form>
  )
}

function NewSecret({ made, onSeen }: { made: Made; onSeen(): void }) {
  return (
    <div className="notice ok" role="status">
      <p>
        Your new key {made.key.name}, shown only once: <code className="secret">{made.secret}</code>
      </p>
      <Button onClick={onSeen}>I’ve saved it</Button>
    </div>
  )
}
