import { Address } from '@latchkey/ui/Address'
import { Card } from '@latchkey/ui/Card'
import { operatorActivityTypes } from 'latchkey-protocol'
import type { AdminPerson } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { useAccountOwners } from '../api/accountOwners.ts'
import { useComputedAccounts } from '../api/computedAccounts.ts'
import { useUser } from '../api/queries.ts'
import { toAge, toCount, toPlain, toTime } from '../format.ts'
import { Pill } from '../parts/Figures.tsx'
import { Link } from '../parts/Link.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { ConfirmButton, UserActions, useActivity, useMayAct } from './UserActions.tsx'

export function UserPage({ organizationId }: { organizationId: string }) {
  const found = useUser(organizationId)
  if (found.isPending) return <Waiting />
  if (!found.data) return <Failure error={found.error} onRetry={() => void found.refetch()} />
  return (
    <>
      <p>
        <Link to="/users">Find another user</Link>
      </p>
      <Identity user={found.data} />
      <UserActions user={found.data} />
      <div className="columns">
        <Credentials user={found.data} />
        <SignIn user={found.data} />
        <Sessions user={found.data} />
        <Accounts user={found.data} />
        <Keys user={found.data} />
      </div>
      <p className="quiet">Operators can’t sign for users or export their keys: custody refuses both for every role.</p>
    </>
  )
}

function Identity({ user: { users, deletion, frozenAt, organizationId, createdAt } }: { user: AdminPerson }) {
  return (
    <Card title={users.map(({ email, name }) => toPlain(email ?? name)).join(', ') || organizationId}>
      {frozenAt && (
        <p className="notice bad">
          Frozen since {toTime(frozenAt)}: the user can’t sign in or sign anything. The keys are safe.
        </p>
      )}
      {deletion && (
        <p className="notice bad">
          {deletion.isDone
            ? 'Deleted: the keys were destroyed.'
            : `Being deleted: keys will be destroyed on ${toTime(deletion.keysDestroyedAt)}. Until then, the user can undo it.`}
        </p>
      )}
      <dl className="facts">
        <div>
          <dt>Organization ID</dt>
          <dd>
            <code>{organizationId}</code>
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>{toTime(createdAt)}</dd>
        </div>
        {users.map(({ id, email, emailVerifiedAt }) => (
          <div key={id}>
            <dt>Email</dt>
            <dd>{email === null ? 'None' : `${email} (${emailVerifiedAt ? 'verified' : 'not verified'})`}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function Credentials({ user: { credentials, organizationId } }: { user: AdminPerson }) {
  const activity = useActivity(organizationId)
  const { mayAct } = useMayAct()
  return (
    <Card title="Passkeys and keys">
      {activity.error && <Failure error={activity.error} />}
      {credentials.length === 0 && <Empty>None. This user signs in by email or a provider.</Empty>}
      <ul className="rows">
        {credentials.map(({ id, name, kind, createdAt, lastUsedAt }) => (
          <li key={id} className="inset">
            <span>
              <b>{toPlain(name)}</b> <Pill tone="plain">{kind}</Pill>
            </span>
            <p className="quiet">
              Added {toTime(createdAt)} · {lastUsedAt ? `last used ${toAge(lastUsedAt)}` : 'never used'}
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

function SignIn({ user: { providers, factors } }: { user: AdminPerson }) {
  return (
    <Card title="Providers and second factor">
      {providers.length + factors.length === 0 && <Empty>None.</Empty>}
      <ul className="rows">
        {providers.map(({ id, name, issuer, createdAt }) => (
          <li key={id} className="inset">
            <b>{toPlain(name)}</b>
            <p className="quiet">
              {issuer} · added {toTime(createdAt)}
            </p>
          </li>
        ))}
        {factors.map(({ id, activatedAt, recoveryCodesLeft }) => (
          <li key={id} className="inset">
            <b>Authenticator app</b> {!activatedAt && <Pill tone="plain">not active</Pill>}
            {activatedAt && (
              <p className="quiet">
                Active since {toTime(activatedAt)} · {recoveryCodesLeft} recovery{' '}
                {recoveryCodesLeft === 1 ? 'code' : 'codes'} left
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Sessions({ user: { sessions, organizationId } }: { user: AdminPerson }) {
  const activity = useActivity(organizationId)
  const { mayAct } = useMayAct()
  return (
    <Card title="Sessions">
      {activity.error && <Failure error={activity.error} />}
      {sessions.length === 0 && <Empty>No active sessions.</Empty>}
      <ul className="rows">
        {sessions.map(({ id, name, createdAt, endsAt }) => (
          <li key={id} className="inset">
            <b>{toPlain(name)}</b>
            <p className="quiet">
              Started {toTime(createdAt)} · expires {toTime(endsAt)}
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

/** Lists accounts that the wallet API created, and accounts that the usual factories derive from the user's keys. */
function Accounts({ user: { accounts, wallets, privateKeys } }: { user: AdminPerson }) {
  const computed = useComputedAccounts([...wallets, ...privateKeys].map(({ address }) => address))
  const known = new Set(accounts.map(({ address }) => address.toLowerCase()))
  const all = [...accounts, ...(computed.data ?? []).filter(({ address }) => !known.has(address.toLowerCase()))]
  return (
    <Card title="Smart accounts">
      {computed.error ? <Failure error={computed.error} onRetry={() => void computed.refetch()} /> : null}
      {all.length === 0 && (computed.isPending ? <Waiting /> : <Empty>No accounts with operations.</Empty>)}
      <ul className="rows">
        {all.map((account) => (
          <li key={account.address} className="inset">
            <Link to={`/operations?sender=${account.address}`}>
              <code>{account.address}</code>
            </Link>
            <p className="quiet">
              {account.factoryType}
              {account.chains.map(({ chainId, operations, lastAt }) => (
                <span key={chainId}>
                  {' '}
                  · chain {chainId}: {toCount(operations)} {operations === 1 ? 'operation' : 'operations'}, last{' '}
                  {toAge(lastAt)}
                </span>
              ))}
            </p>
            <Owners account={account} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const kinds = { key: 'Key', passkey: 'Passkey', contract: 'Contract' } as const

/** Shows who owns the account on each chain, once asked for. */
function Owners({ account }: { account: AdminPerson['accounts'][number] }) {
  const [isOpen, setIsOpen] = useState(false)
  const read = useAccountOwners(account, isOpen)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Owners</summary>
      {read.isLoading && <Waiting />}
      {read.error && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data?.length === 0 && <Empty>No gateway has reported a chain yet.</Empty>}
      {read.data?.map((chain) => (
        <div key={chain.chainId} className="stack">
          <p className="quiet">
            Chain {chain.chainId}
            {'isDeployed' in chain && !chain.isDeployed && ' · not deployed, so these are the first owners'}
          </p>
          {'error' in chain ? (
            <Failure error={chain.error} onRetry={() => void read.refetch()} />
          ) : (
            <ul className="rows">
              {chain.owners.map(({ kind, address }) => (
                <li key={address}>
                  <Pill tone="plain">{address === account.owner ? 'Sign-in key' : kinds[kind]}</Pill>{' '}
                  <Address address={address} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </details>
  )
}

function Keys({ user: { wallets, privateKeys } }: { user: AdminPerson }) {
  return (
    <Card title="Keys">
      <ul className="rows">
        {[...wallets, ...privateKeys].map(({ address, exportedAt, createdAt }) => (
          <li key={address} className="inset">
            <Address address={address} />
            <p className="quiet">
              Created {toTime(createdAt)} · {exportedAt ? `exported ${toTime(exportedAt)}` : 'never exported'}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
