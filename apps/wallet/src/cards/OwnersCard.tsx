import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { addOwner, removeOwner, transferOwnership } from 'latchkey/accounts'
import { useOwners } from 'latchkey/react'
import { useState } from 'react'
import { type Address as AddressValue, isAddressEqual } from 'viem'
import { shortHex } from '../format.ts'
import { Failure } from '../parts/Failure.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { Question } from '../parts/Question.tsx'
import type { Kind } from '../state/account.ts'
import { useChange } from '../state/useChange.ts'
import type { Client } from '../state/useSending.ts'
import { NewOwnerForm } from './NewOwnerForm.tsx'
import { OwnerList } from './OwnerList.tsx'

type OwnersCardProps = {
  client: Client | undefined
  account: AddressValue
  kind: Kind
  policyId: string
  /** Owner key of this wallet's user. */
  own: AddressValue
}

type Action = 'add' | 'remove' | 'transfer'
type Asked = { action: Action; owner: AddressValue }

/** Adds, removes and replaces owners of the account. Each confirmation shows the whole address. */
export function OwnersCard({ client, account, kind, policyId, own }: OwnersCardProps) {
  const { type, accountParams } = kind
  const all = useOwners({ type, accountParams, gasManagerConfig: { policyId } })
  const { change, isChanging, outcome } = useChange()
  const [asked, setAsked] = useState<Asked | null>(null)
  const here = all.chains?.find(({ chainId }) => chainId === client?.chain.id)
  const owners = here?.owners ?? []
  const isOwner = owners.some(({ address }) => isAddressEqual(address, own))
  const isBlocked = !client || !isOwner || isChanging || all.isRotating

  const act = ({ action, owner }: Asked) => {
    const { done, failed, send } = changes[action]
    const who = shortHex(owner)
    if (client) {
      change(
        { title: `${done} ${who}`, failed: `${failed} ${who}`, send: () => send(client, owner) },
        { onSettled: all.reload },
      )
    }
  }

  return (
    <Card className="owners" title="Owners">
      {all.error && !all.chains && <Failure title="Could not read the owners" error={all.error} />}
      {here && !isOwner && (
        <p className="sub" role="alert">
          <b>This wallet no longer owns the account</b> and cannot sign for it. Choose another account type under
          Details above.
        </p>
      )}
      <OwnerList
        chains={all.chains ?? []}
        chainId={client?.chain.id}
        own={own}
        isBlocked={isBlocked}
        onRemove={(owner) => setAsked({ action: 'remove', owner })}
      />
      {here && !here.isSingle && (
        <div className="backup">
          <p className="sub" role="status">
            {all.plan
              ? 'Your new passkey is not on every network yet. Your other keys still work.'
              : 'A backup key still opens your account if you lose the others.'}
          </p>
          <Button look="small" isBlocked={isBlocked} onClick={all.openDialog}>
            {all.plan ? 'Continue' : 'Add a backup key'}
          </Button>
        </div>
      )}
      <NewOwnerForm
        account={account}
        owners={owners.map(({ address }) => address)}
        isSingle={here?.isSingle ?? true}
        isBlocked={isBlocked}
        isBusy={isChanging}
        onAsk={(action, owner) => setAsked({ action, owner })}
      />
      <Outcome outcome={outcome} />
      {asked && (
        <Question
          title={changes[asked.action].question}
          yes={changes[asked.action].yes}
          no="Cancel"
          onYes={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <span className="mono">{asked.owner}</span> {describe(asked, own)}
        </Question>
      )}
    </Card>
  )
}

type Change = {
  question: string
  yes: string
  done: string
  failed: string
  send: (client: Client, owner: AddressValue) => Promise<unknown>
}

const changes: { readonly [action in Action]: Change } = {
  add: {
    question: 'Add this owner?',
    yes: 'Add as owner',
    done: 'Added the owner',
    failed: 'Could not add',
    send: (client, owner) => addOwner(client, { owner, waitForTxn: true }),
  },
  remove: {
    question: 'Remove this owner?',
    yes: 'Remove owner',
    done: 'Removed the owner',
    failed: 'Could not remove',
    send: (client, owner) => removeOwner(client, { owner, waitForTxn: true }),
  },
  transfer: {
    question: 'Transfer ownership?',
    yes: 'Transfer ownership',
    done: 'The account now belongs to',
    failed: 'Could not transfer ownership to',
    send: (client, newOwner) => transferOwnership(client, { newOwner, waitForTxn: true }),
  },
}

function describe({ action, owner }: Asked, own: AddressValue): string {
  if (action === 'add') return 'will be able to do everything you can: spend what the account holds, and remove you.'
  if (action === 'transfer')
    return 'gets everything in this account, and you lose access. Only the new owner can undo this.'
  return isAddressEqual(owner, own)
    ? 'is you. You will lose access to everything in this account. Only the other owners can undo this.'
    : 'will no longer be able to use this account.'
}
