import { useOperator, useOperators } from '../api/queries.ts'
import { toTime } from '../format.ts'
import { Card, Pill } from '../parts/Card.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'

export function Operators() {
  const self = useOperator()
  const isAdmin = self.data?.role === 'admin'
  const operators = useOperators(isAdmin)
  return (
    <Card title="Keys of the admin API">
      {!isAdmin ? (
        <Empty>Operators are listed for admins; your role is {self.data?.role}.</Empty>
      ) : operators.isPending ? (
        <Waiting />
      ) : !operators.data ? (
        <Failure error={operators.error} onRetry={() => void operators.refetch()} />
      ) : operators.data.items.length === 0 ? (
        <Empty>
          No key but those of the configuration. <code>latchkey-server operators create</code> makes one.
        </Empty>
      ) : (
        <ul className="rows">
          {operators.data.items.map(({ id, name, role, createdAt, removedAt, genuine }) => (
            <li key={id} className="inset">
              <b>{name}</b> <Pill tone="plain">{role}</Pill>
              {removedAt && <Pill tone="warn">ended</Pill>}
              {!genuine && <Pill tone="bad">not written by this server</Pill>}
              <p className="quiet">
                {id} · made {toTime(createdAt)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
