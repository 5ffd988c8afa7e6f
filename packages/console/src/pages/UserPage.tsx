import { Card } from '@latchkey/ui/Card'
import { operatorActivityTypes } from 'latchkey-protocol'
import type { AdminPerson } from 'latchkey-protocol/admin'
import { useComputedAccounts } from '../api/computedAccounts.ts'
import { usePerson } from '../api/queries.ts'
import { toAge, toCount, toPlain, toTime } from '../format.ts'
import { Pill } from '../parts/Figures.tsx'
import { Link } from '../parts/Link.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { ConfirmButton, PersonActions, useActivity, useMayAct } from './PersonActions.tsx'

export function UserPage({ organizationId }: { organizationId: string }) {
  const found = usePerson(organizationId)
  if (found.isPending) return <Waiting />
  if (!found.data) return <Failure error={found.error} onRetry={() => void found.refetch()} />
  return (
    <>
      <p>
        <Link to="/users">Find another person</Link>
      </p>
      <Who person={found.data} />
      <PersonActions person={found.data} />
      <div className="columns">
        <Credentials person={found.data} />
        <Sessions person={found.data} />
        <Accounts person={found.data} />
        <Keys person={found.data} />
      </div>
      <p className="quiet">
        An operator can neither sign for a person nor export their keys: custody refuses both to every role, so the
        console does not offer them.
      </p>
    </>
  )
}

function Who({ person: { users, deletion, frozenAt, organizationId, createdAt } }: { person: AdminPerson }) {
  return (
    <Card title={users.map(({ email, name }) => toPlain(email ?? name)).join(', ') || organizationId}>
      {frozenAt && (
        <p className="notice bad">Frozen since {toTime(frozenAt)}: it neither signs nor signs in. Its keys are safe.</p>
      )}
      {deletion && (
        <p className="notice bad">
          {deletion.isDone
            ? 'Deleted: the keys are destroyed.'
            : `Being deleted: keys are destroyed on ${toTime(deletion.keysDestroyedAt)}; until then the person can take it back.`}
        </p>
      )}
      <dl className="facts">
        <div>
          <dt>Organization</dt>
          <dd>
            <code>{organizationId}</code>
          </dd>
        </div>
        <div>
          <dt>Since</dt>
          <dd>{toTime(createdAt)}</dd>
        </div>
        {users.map(({ id, email, emailVerifiedAt }) => (
          <div key={id}>
            <dt>E-mail</dt>
            <dd>{email === null ? 'none' : `${email}, ${emailVerifiedAt ? 'proven' : 'not proven'}`}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function Credentials({ person: { credentials, organizationId } }: { person: AdminPerson }) {
  const activity = useActivity(organizationId)
  const { mayAct } = useMayAct()
  return (
    <Card title="Passkeys and keys">
      {activity.error && <Failure error={activity.error} />}
      {credentials.length === 0 && <Empty>None: this person signs in by mail.</Empty>}
      <ul className="rows">
        {credentials.map(({ id, name, kind, createdAt, lastUsedAt }) => (
          <li key={id} className="inset">
            <span>
              <b>{toPlain(name)}</b> <Pill tone="plain">{kind}</Pill>
            </span>
            <p className="quiet">
              since {toTime(createdAt)} · {lastUsedAt ? `used ${toAge(lastUsedAt)}` : 'never used'}
            </p>
            {mayAct && (
              <p className="actions">
                <ConfirmButton
                  label={`Remove ${name}`}
                  isBusy={activity.isPending}
                  onPress={() =>
                    activity.mutate({
                      type: operatorActivityTypes.removeCredential,
                      parameters: { credentialId: id },
                    })
                  }
                />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Sessions({ person: { sessions, organizationId } }: { person: AdminPerson }) {
  const activity = useActivity(organizationId)
  const { mayAct } = useMayAct()
  return (
    <Card title="Sessions">
      {activity.error && <Failure error={activity.error} />}
      {sessions.length === 0 && <Empty>None.</Empty>}
      <ul className="rows">
        {sessions.map(({ id, name, createdAt, endsAt }) => (
          <li key={id} className="inset">
            <b>{toPlain(name)}</b>
            <p className="quiet">
              since {toTime(createdAt)} · ends {toTime(endsAt)}
            </p>
            {mayAct && (
              <p className="actions">
                <ConfirmButton
                  label={`End ${name}`}
                  isBusy={activity.isPending}
                  onPress={() =>
                    activity.mutate({ type: operatorActivityTypes.removeCredential, parameters: { credentialId: id } })
                  }
                />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Lists accounts created by the wallet API, and those the usual factories derive from the user's keys. */
function Accounts({ person: { accounts, wallets, privateKeys } }: { person: AdminPerson }) {
  const computed = useComputedAccounts([...wallets, ...privateKeys].map(({ address }) => address))
  const known = new Set(accounts.map(({ address }) => address.toLowerCase()))
  const all = [...accounts, ...(computed.data ?? []).filter(({ address }) => !known.has(address.toLowerCase()))]
  return (
    <Card title="Smart accounts">
      {computed.error ? <Failure error={computed.error} onRetry={() => void computed.refetch()} /> : null}
      {all.length === 0 && (computed.isPending ? <Waiting /> : <Empty>None with an operation is known.</Empty>)}
      <ul className="rows">
        {all.map(({ address, factoryType, chains }) => (
          <li key={address} className="inset">
            <Link to={`/operations?sender=${address}`}>
              <code>{address}</code>
            </Link>
            <p className="quiet">
              {factoryType}
              {chains.map(({ chainId, operations, lastAt }) => (
                <span key={chainId}>
                  {' '}
                  · chain {chainId}: {toCount(operations)} {operations === 1 ? 'operation' : 'operations'}, last{' '}
                  {toAge(lastAt)}
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Keys({ person: { wallets, privateKeys } }: { person: AdminPerson }) {
  return (
    <Card title="Addresses of keys">
      <ul className="rows">
        {[...wallets, ...privateKeys].map(({ address, exportedAt, createdAt }) => (
          <li key={address} className="inset">
            <code>{address}</code>
            <p className="quiet">
              since {toTime(createdAt)} · {exportedAt ? `exported ${toTime(exportedAt)}` : 'never exported'}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
