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
 * Shows a project's settings in the projects file. Custody trusts the file, not the database, so the page cannot change
 * them.
 */
export function Projects({ projectId }: { projectId: string }) {
  const projects = useProjects()
  const config = useConfig()
  if (projects.isPending) return <Waiting />
  const project = projects.data?.items.find(({ id }) => id === projectId)
  if (!project) return <Empty>No project found.</Empty>
  const isTried = project.file !== null && config.data?.isDevnet !== true
  return (
    <Card title={`${project.name} (${project.id})`}>
      <p className="quiet inset">
        {isTried
          ? 'These values come from the projects file, which custody trusts instead of the database. Check changes here, then edit the file: the roles take it without a restart.'
          : 'These values come from the configuration, which custody trusts instead of the database. Change them there: in the options of npm start, or in LATCHKEY_PROJECTS_FILE.'}
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
        <dd>{project.allowedOrigins.join(', ') || 'None'}</dd>
      </div>
      <div>
        <dt>Redirect URLs</dt>
        <dd>{project.redirectUrls.join(', ') || 'None'}</dd>
      </div>
      {Object.entries(project.file ?? {}).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{Array.isArray(value) ? value.join(', ') || 'None' : String(value)}</dd>
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
      <Field label="Origins (one per line)">
        <textarea rows={3} value={origins} onChange={(event) => setOrigins(event.target.value)} />
      </Field>
      <Field label="Redirect URLs for email links (one per line)">
        <textarea rows={3} value={redirects} onChange={(event) => setRedirects(event.target.value)} />
      </Field>
      <Field label="Exports, new credentials and deletions">
        <select value={confirmations} onChange={(event) => setConfirmations(event.target.value)}>
          <option value="mail">Confirmed by email</option>
          <option value="none">Not confirmed</option>
        </select>
      </Field>
      <p className="actions">
        <Button type="submit" look="primary" isBusy={attempt.isPending}>
          Check changes
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
        Valid. Put this entry into LATCHKEY_PROJECTS_FILE, and keep its apiKey. The roles take it without a restart.
      </p>
      <pre>{JSON.stringify(entry, null, 2)}</pre>
    </div>
  )
}
