import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminPolicy } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { useOperator, usePolicies } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { toTime } from '../format.ts'
import { Pill } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { SpendChart } from '../parts/SpendChart.tsx'
import { PolicyTest } from './PolicyTest.tsx'
import { RulesEditor } from './RulesEditor.tsx'

export function Sponsorship({ projectId }: { projectId: string }) {
  const list = usePolicies(projectId)
  const operator = useOperator()
  const mayChange = operator.data !== undefined && operator.data.role !== 'viewer'
  const policies = list.data?.pages.flatMap(({ items }) => items)
  return (
    <>
      <Card title="Gas sponsored per day">
        <SpendChart projectId={projectId} />
      </Card>
      {!mayChange && operator.data && (
        <p className="quiet">Your role is viewer: you can view and test policies, but not change them.</p>
      )}
      {list.isPending && <Waiting />}
      {list.error ? <Failure error={list.error} onRetry={() => void list.refetch()} /> : null}
      {policies?.length === 0 && <Empty>No gas policy yet: nothing is sponsored in this project.</Empty>}
      {policies?.map((policy) => (
        <Policy key={policy.id} policy={policy} mayChange={mayChange} />
      ))}
      {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>Show more</Button>}
      {mayChange && projectId !== '' && <NewPolicy projectId={projectId} />}
    </>
  )
}

const toPath = ({ projectId, id }: Pick<AdminPolicy, 'projectId' | 'id'>) =>
  `/projects/${encodeURIComponent(projectId)}/policies/${encodeURIComponent(id)}`

type Part = 'rules' | 'test' | 'spend'

function Policy({ policy, mayChange }: { policy: AdminPolicy; mayChange: boolean }) {
  const client = useQueryClient()
  const [open, setOpen] = useState<Part>()
  const settled = () => client.invalidateQueries({ queryKey: ['policies', policy.projectId] })
  const act = useMutation({
    mutationFn: (verb: 'pause' | 'resume' | 'default') =>
      askAdmin<AdminPolicy>(`${toPath(policy)}/${verb}`, { method: 'POST', body: {} }),
    onSettled: settled,
  })
  const { id, paused, isDefault, source, changedBy, changedAt, version } = policy
  const toggle = (name: Part) => setOpen(open === name ? undefined : name)
  return (
    <Card
      title={id}
      aside={
        <>
          {isDefault && <Pill tone="plain">Default</Pill>}{' '}
          <Pill tone={paused ? 'warn' : 'ok'}>{paused ? 'Paused' : 'Active'}</Pill>
        </>
      }
    >
      <div className="inset">
        <p className="quiet">
          Version {version} · {source === 'file' ? 'from the policies file' : 'edited in the console'} · last changed by{' '}
          {changedBy ?? 'the configuration'}, {toTime(changedAt)}
        </p>
        <p className="actions">
          {mayChange && (
            <Button isBusy={act.isPending} onClick={() => act.mutate(paused ? 'resume' : 'pause')}>
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
          {mayChange && !isDefault && source === 'operators' && (
            <Button isBusy={act.isPending} onClick={() => act.mutate('default')}>
              Make default
            </Button>
          )}
          <Button aria-expanded={open === 'rules'} onClick={() => toggle('rules')}>
            Rules
          </Button>
          <Button aria-expanded={open === 'test'} onClick={() => toggle('test')}>
            Test operation
          </Button>
          <Button aria-expanded={open === 'spend'} onClick={() => toggle('spend')}>
            Spending
          </Button>
        </p>
        {act.error && <Failure error={act.error} />}
        {open === 'rules' && (
          <RulesEditor
            policy={policy}
            path={toPath(policy)}
            isReadOnly={!mayChange || source === 'file'}
            onSaved={settled}
          />
        )}
        {open === 'test' && <PolicyTest path={toPath(policy)} />}
      </div>
      {open === 'spend' && <SpendChart projectId={policy.projectId} policyId={id} />}
    </Card>
  )
}

function NewPolicy({ projectId }: { projectId: string }) {
  const client = useQueryClient()
  const [id, setId] = useState('')
  const create = useMutation({
    mutationFn: () =>
      askAdmin<AdminPolicy>(`/projects/${encodeURIComponent(projectId)}/policies`, {
        method: 'POST',
        body: { id, paused: true },
      }),
    onSuccess() {
      setId('')
      return client.invalidateQueries({ queryKey: ['policies', projectId] })
    },
  })
  return (
    <Card title="New policy">
      <form
        className="inset"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Field label="Name">
          <input value={id} required pattern="[\w.\-]{1,64}" onChange={(event) => setId(event.target.value)} />
        </Field>
        <p className="quiet">New policies start paused, so nothing is sponsored until you set the rules.</p>
        <Button type="submit" look="primary" isBusy={create.isPending}>
          Create policy
        </Button>
        {create.error && <Failure error={create.error} />}
      </form>
    </Card>
  )
}
