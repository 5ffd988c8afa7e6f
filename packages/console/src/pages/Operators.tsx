import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useConsoleOperators, useOperator, useOperators } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { toTime } from '../format.ts'
import { Pill } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'

export function Operators() {
  const self = useOperator()
  const isAdmin = self.data?.role === 'admin'
  const operators = useOperators(isAdmin)
  return (
    <>
      {isAdmin && (
        <Card title="Console operators">
          <ConsoleOperators />
        </Card>
      )}
      <Card title="Admin API keys">
        {!isAdmin ? (
          <Empty>Only admins can see operators; your role is {self.data?.role}.</Empty>
        ) : operators.isPending ? (
          <Waiting />
        ) : !operators.data ? (
          <Failure error={operators.error} onRetry={() => void operators.refetch()} />
        ) : operators.data.items.length === 0 ? (
          <Empty>
            No keys yet, apart from those in the configuration. Create one with{' '}
            <code>latchkey-server operators create</code>.
          </Empty>
        ) : (
          <ul className="rows">
            {operators.data.items.map(({ id, name, role, createdAt, removedAt, genuine }) => (
              <li key={id} className="inset">
                <span>
                  <b>{name}</b> <Pill tone="plain">{role}</Pill> {removedAt && <Pill tone="warn">Revoked</Pill>}{' '}
                  {!genuine && <Pill tone="bad">Not written by this server</Pill>}
                </span>
                <p className="quiet">
                  {id} · created {toTime(createdAt)}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}

/** Lists passkey operators, who are managed in the configuration. */
function ConsoleOperators() {
  const client = useQueryClient()
  const operators = useConsoleOperators()
  const end = useMutation({
    mutationFn: (id: string) => askAdmin(`/console-operators/${id}/sign-out`, { method: 'POST', body: {} }),
    onSettled: () => client.invalidateQueries({ queryKey: ['operators'] }),
  })
  if (operators.isPending) return <Waiting />
  if (!operators.data) return <Failure error={operators.error} onRetry={() => void operators.refetch()} />
  const { items } = operators.data
  return (
    <>
      {end.error && <Failure error={end.error} />}
      {items.length === 0 && (
        <Empty>
          No operators yet. Invite someone with <code>latchkey-server operators invite</code>.
        </Empty>
      )}
      <ul className="rows">
        {items.map(({ id, name, role, passkeys, sessions }) => (
          <li key={id} className="inset">
            <span>
              <b>{name}</b> <Pill tone="plain">{role}</Pill>
            </span>
            <p className="quiet">
              {id} · {passkeys} {passkeys === 1 ? 'passkey' : 'passkeys'} · {sessions}{' '}
              {sessions === 1 ? 'session' : 'sessions'}
            </p>
            {sessions > 0 && (
              <p className="actions">
                <Button isBusy={end.isPending} onClick={() => end.mutate(id)}>
                  Sign out {name}
                </Button>
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
