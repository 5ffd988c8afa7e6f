import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useEffect, useState } from 'react'
import { useFoundUsers } from '../api/queries.ts'
import { toPlain, toTime } from '../format.ts'
import { Pill } from '../parts/Figures.tsx'
import { Link } from '../parts/Link.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { setParameter, usePath } from '../places.ts'

const forms = [
  { name: 'address', form: /^0x[0-9a-fA-F]{40}$/ },
  { name: 'organizationId', form: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i },
  { name: 'email', form: /^[^@\s]+@[^@\s]+$/ },
] as const

/** Returns the query that matches a text's form. */
function readQuestion(text: string): Record<string, string> | undefined {
  const found = forms.find(({ form }) => form.test(text))
  return found && { [found.name]: text }
}

/** Finds one user by a complete identifier: there is no list of users. */
export function Users() {
  const asked = usePath().searchParams.get('q') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  const question = readQuestion(asked)
  const found = useFoundUsers(question)
  return (
    <Card title="Find a user">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          setParameter('q', text.trim())
        }}
      >
        <Field className="grow" label="Email, key or account address, or organization ID">
          <input value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Button type="submit" look="primary">
          Find
        </Button>
      </form>
      {asked === '' ? (
        <Empty>Search finds exact matches only. There is no list of all users, and keys are never shown.</Empty>
      ) : !question ? (
        <Empty>Enter an email, address or ID.</Empty>
      ) : found.isPending ? (
        <Waiting />
      ) : !found.data ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : found.data.items.length === 0 ? (
        <Empty>No user found</Empty>
      ) : (
        <ul className="rows">
          {found.data.items.map(({ organizationId, users, deletion, createdAt }) => (
            <li key={organizationId} className="inset">
              <Link to={`/users/${organizationId}`}>
                {users.map(({ email, name }) => toPlain(email ?? name)).join(', ') || organizationId}
              </Link>
              {deletion && <Pill tone="warn">{deletion.isDone ? 'Deleted' : 'Being deleted'}</Pill>}
              <p className="quiet">
                {organizationId} · created {toTime(createdAt)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
