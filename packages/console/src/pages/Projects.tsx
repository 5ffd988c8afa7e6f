import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useMutation } from '@tanstack/react-query'
import type { AdminProject } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { useConfig, useProjects } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'

type Tried = { problems: string[]; entry: Record<string, unknown> }

/**
 * Shows a project's entry in the projects file. Custody trusts the file, not the database, so nothing is written here.
 */
export function Projects({ projectId }: { projectId: string }) {
  const projects = useProjects()
  const config = useConfig()
  if (projects.isPending) return <Waiting />
  const project = projects.data?.items.find(({ id }) => id === projectId)
  if (!project) return <Empty>There is no project.</Empty>
  const isTried = project.file !== null && config.data?.isDevnet !== true
  return (
    <Card title={`${project.name} (${project.id})`}>
      <p className="quiet inset">
        {isTried
          ? 'These values stand in the projects file, which custody trusts in place of the database. Try others here; the file is changed by who may write it, and the roles are started again.'
          : 'Custody trusts the configuration in place of the database: these values are changed there, such as by the options of npm start, or in LATCHKEY_PROJECTS_FILE.'}
      </p>
      {isTried ? <Change key={project.id} project={project} /> : <Shown project={project} />}
    </Card>
  )
}

function Shown({ project }: { project: AdminProject }) {
  return (
    <dl className="facts">
      <div>
        <dt>Origins</dt>
        <dd>{project.allowedOrigins.join(', ') || 'none'}</dd>
      </div>
      <div>
        <dt>Links lead to</dt>
        <dd>{project.redirectUrls.join(', ') || 'none'}</dd>
      </div>
      {Object.entries(project.file ?? {}).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{Array.isArray(value) ? value.join(', ') || 'none' : String(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

const toLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function Change({ project }: { project: AdminProject }) {
  const [origins, setOrigins] = useState(project.allowedOrigins.join('\n'))
  const [redirects, setRedirects] = useState(project.redirectUrls.join('\n'))
  const [confirmations, setConfirmations] = useState(String(project.file?.confirmations ?? 'mail'))
  const attempt = useMutation({
    mutationFn: () =>
      askAdmin<Tried>(`/projects/${encodeURIComponent(project.id)}/try`, {
        method: 'POST',
        body: {
          changes: { allowedOrigins: toLines(origins), redirectUrls: toLines(redirects), confirmations },
        },
      }),
  })
  return (
    <form
      className="inset"
      onChange={() => attempt.reset()}
      onSubmit={(event) => {
        event.preventDefault()
        attempt.mutate()
      }}
    >
      <Field label="Origins of its pages, one a line">
        <textarea rows={3} value={origins} onChange={(event) => setOrigins(event.target.value)} />
      </Field>
      <Field label="Where links of mails may lead, one a line">
        <textarea rows={3} value={redirects} onChange={(event) => setRedirects(event.target.value)} />
      </Field>
      <Field label="Exports, new credentials and deletions">
        <select value={confirmations} onChange={(event) => setConfirmations(event.target.value)}>
          <option value="mail">are confirmed by mail</option>
          <option value="none">are not confirmed</option>
        </select>
      </Field>
      <p className="actions">
        <Button type="submit" look="primary" isBusy={attempt.isPending}>
          Check and print
        </Button>
      </p>
      {attempt.error && <Failure error={attempt.error} />}
      {attempt.data && <Result tried={attempt.data} />}
    </form>
  )
}

function Result({ tried: { problems, entry } }: { tried: Tried }) {
  if (problems.length > 0)
    return (
      <div className="notice bad" role="alert">
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
    )
  return (
    <div className="notice ok" role="status">
      <p>
        In order. This is the project’s entry in LATCHKEY_PROJECTS_FILE; its apiKey stays as it is. Then start the roles
        again.
      </p>
      <pre>{JSON.stringify(entry, null, 2)}</pre>
    </div>
  )
}
