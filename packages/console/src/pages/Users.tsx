import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useEffect, useState } from 'react'
import { usePeople } from '../api/queries.ts'
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
  const people = usePeople(question)
  return (
    <Card title="Find a person">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          setParameter('q', text.trim())
        }}
      >
        <Field className="grow" label="E-mail address, address of a key or account, or organization">
          <input value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Button type="submit" look="primary">
          Find
        </Button>
      </form>
      {asked === '' ? (
        <Empty>People are found by an exact match. There is no list of everybody, and keys are never shown.</Empty>
      ) : !question ? (
        <Empty>That is neither an e-mail address, nor 0x and 40 hex digits, nor a UUID.</Empty>
      ) : people.isPending ? (
        <Waiting />
      ) : !people.data ? (
        <Failure error={people.error} onRetry={() => void people.refetch()} />
      ) : people.data.items.length === 0 ? (
        <Empty>Nobody is known by that.</Empty>
      ) : (
        <ul className="rows">
          {people.data.items.map(({ organizationId, users, deletion, createdAt }) => (
            <li key={organizationId} className="inset">
              <Link to={`/users/${organizationId}`}>
                {users.map(({ email, name }) => toPlain(email ?? name)).join(', ') || organizationId}
              </Link>
              {deletion && <Pill tone="warn">{deletion.isDone ? 'deleted' : 'being deleted'}</Pill>}
              <p className="quiet">
                {organizationId} · since {toTime(createdAt)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
