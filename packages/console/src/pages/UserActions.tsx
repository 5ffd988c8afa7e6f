import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type OperatorActivityType, operatorActivityTypes } from 'latchkey-protocol'
import type { AdminActivityOutcome, AdminPerson } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { useConfig, useOperator } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { readServerTime } from '../api/serverTime.ts'
import { stampBody } from '../api/signIn.ts'
import { toTime } from '../format.ts'
import { Failure } from '../parts/Notice.tsx'

type Asked = {
  type: OperatorActivityType
  parameters?: object
  /** Text that another admin has stamped. */
  body?: string
}

/** Requests a custody activity with the operator's passkey. */
export function useActivity(organizationId: string) {
  const client = useQueryClient()
  return useMutation({
    async mutationFn({ type, parameters = {}, body: given }: Asked) {
      // Uses the server's time, since custody refuses timestamps that differ too much and this machine's clock may be
      // wrong.
      const activity = { type, timestampMs: String(readServerTime()), organizationId, parameters }
      const body = given ?? JSON.stringify(activity)
      const stamp = await stampBody(body)
      const path = `/users/${organizationId}/activities`
      return askAdmin<AdminActivityOutcome>(path, { method: 'POST', body: { body, stamp } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['users', organizationId] }),
  })
}

/** Returns whether the operator may request custody activities, and whether they are an admin. */
export function useMayAct(): { mayAct: boolean; isAdmin: boolean } {
  const config = useConfig()
  const operator = useOperator()
  const role = operator.data?.role
  const isSignedIn = config.data?.signIn !== undefined
  return { mayAct: isSignedIn && (role === 'operator' || role === 'admin'), isAdmin: isSignedIn && role === 'admin' }
}

/** Actions for a user who lost a device or requested deletion, or against an account takeover. */
export function UserActions({ user }: { user: AdminPerson }) {
  const { organizationId, frozenAt, deletion, waitingDeletion } = user
  const activity = useActivity(organizationId)
  const { mayAct, isAdmin } = useMayAct()
  const config = useConfig()
  if (deletion?.isDone) return null
  const ask = (asked: Asked) => activity.mutate(asked)
  return (
    <Card title="Actions">
      <div className="inset">
        {!mayAct && (
          <p className="quiet">
            {config.data?.signIn
              ? 'Only operators and admins can end sessions and freeze or delete accounts; your role is viewer.'
              : 'These actions need an operator’s passkey, so they work only in a console where operators sign in (latchkey-server start).'}
          </p>
        )}
        {activity.error && <Failure error={activity.error} />}
        {activity.data?.state === 'waiting' && (
          <p className="notice ok" role="status">
            Requested. Another admin must confirm it here within a day.
          </p>
        )}
        {mayAct && (
          <p className="actions">
            <ConfirmButton
              label="End all sessions"
              isBusy={activity.isPending}
              onPress={() => ask({ type: operatorActivityTypes.endSessions })}
            />
            {frozenAt === null && (
              <ConfirmButton
                label="Freeze account"
                isBusy={activity.isPending}
                onPress={() => ask({ type: operatorActivityTypes.freeze })}
              />
            )}
            {frozenAt !== null && isAdmin && (
              <ConfirmButton
                label="Unfreeze account"
                isBusy={activity.isPending}
                onPress={() => ask({ type: operatorActivityTypes.unfreeze })}
              />
            )}
            {isAdmin && !deletion && !waitingDeletion && (
              <ConfirmButton
                label="Request deletion"
                isBusy={activity.isPending}
                onPress={() => ask({ type: operatorActivityTypes.deleteAccount })}
              />
            )}
          </p>
        )}
        {waitingDeletion && <WaitingDeletion user={user} waiting={waitingDeletion} activity={activity} />}
      </div>
    </Card>
  )
}

type WaitingProps = {
  user: AdminPerson
  waiting: NonNullable<AdminPerson['waitingDeletion']>
  activity: ReturnType<typeof useActivity>
}

function WaitingDeletion({ user: { organizationId }, waiting, activity }: WaitingProps) {
  const client = useQueryClient()
  const self = useOperator()
  const { isAdmin } = useMayAct()
  const withdraw = useMutation({
    mutationFn: () => askAdmin(`/users/${organizationId}/deletion-request`, { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['users', organizationId] }),
  })
  const isOwn = self.data?.id === waiting.operatorId
  return (
    <div className="notice warn">
      <p>
        {isOwn ? 'You' : waiting.operatorName} requested deletion of this account on {toTime(waiting.createdAt)}. A
        second admin must confirm within a day; after that, the user can still undo it during the grace period.
      </p>
      {withdraw.error && <Failure error={withdraw.error} />}
      {isAdmin && (
        <p className="actions">
          {!isOwn && (
            <ConfirmButton
              label="Confirm deletion"
              isBusy={activity.isPending}
              onPress={() => activity.mutate({ type: operatorActivityTypes.deleteAccount, body: waiting.body })}
            />
          )}
          <Button isBusy={withdraw.isPending} onClick={() => withdraw.mutate()}>
            Withdraw request
          </Button>
        </p>
      )}
    </div>
  )
}

type SureProps = { label: string; isBusy: boolean; onPress(): void }

/** Requires two clicks; the second opens the passkey prompt. */
export function ConfirmButton({ label, isBusy, onPress }: SureProps) {
  const [isSure, setSure] = useState(false)
  return (
    <Button
      look="danger"
      isBusy={isBusy}
      aria-label={isSure ? `Yes: ${label}` : label}
      onBlur={() => setSure(false)}
      onClick={() => {
        setSure(!isSure)
        if (isSure) onPress()
      }}
    >
      {isSure ? 'Confirm with passkey' : label}
    </Button>
  )
}
