import { Address } from '@latchkey/ui/Address'
import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useState } from 'react'
import { type Address as AddressValue, isAddressEqual } from 'viem'
import { shortHex, toSentence } from '../format.ts'
import { KeyIcon } from '../parts/Icons.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { Question } from '../parts/Question.tsx'
import { Row } from '../parts/Row.tsx'
import type { Kind } from '../state/account.ts'
import { ownersByType, useOwners } from '../state/owners.ts'
import { useChange } from '../state/useChange.ts'
import type { Client } from '../state/useSending.ts'
import { NewOwnerForm } from './NewOwnerForm.tsx'

type OwnersCardProps = {
  client: Client | undefined
  account: AddressValue
  kind: Kind
  /** Owner that this wallet signs as. */
  own: AddressValue
  isDeployed: boolean
}

const none: readonly AddressValue[] = []

type Asked = { action: 'add' | 'remove' | 'transfer'; owner: AddressValue }

/** Adds, removes and replaces the account's owners. Each change is confirmed with the whole address. */
export function OwnersCard({ client, account, kind, own, isDeployed }: OwnersCardProps) {
  const { data: owners = none, error } = useOwners(kind, account, own, isDeployed)
  const { change, isChanging, outcome } = useChange()
  const [asked, setAsked] = useState<Asked | null>(null)
  const { isSingle, change: changeOwners } = ownersByType[kind.type]
  const isOwner = owners.some((owner) => isAddressEqual(owner, own))
  const isBlocked = !client || !isOwner || isChanging

  const act = ({ action, owner }: Asked) => {
    const add = action === 'remove' ? [] : [owner]
    const remove = action === 'remove' ? [owner] : action === 'transfer' ? [own] : []
    const { done, failed } = words[action]
    const who = shortHex(owner)
    if (client)
      change({ title: `${done} ${who}`, failed: `${failed} ${who}`, send: () => changeOwners(client, { add, remove }) })
  }

  return (
    <Card className="owners" title="Owners">
      {error && <p className="sub">{toSentence(error)}</p>}
      {owners.length > 0 && !isOwner && (
        <p className="sub" role="alert">
          <b>This wallet no longer owns the account</b> and cannot sign for it. Choose another account type under
          Details above.
        </p>
      )}
      <ul className="list">
        {owners.map((owner) => (
          <Row
            key={owner}
            icon={<KeyIcon />}
            title={isAddressEqual(owner, own) ? 'You' : 'Owner'}
            detail={<Address address={owner} />}
          >
            {owners.length > 1 ? (
              <Button
                look="small"
                aria-label={`Remove ${owner}`}
                isBlocked={isBlocked}
                onClick={() => setAsked({ action: 'remove', owner })}
              >
                Remove
              </Button>
            ) : (
              <span className="pill quiet">Only owner</span>
            )}
          </Row>
        ))}
      </ul>
      <NewOwnerForm
        {...{ account, owners, isSingle, isBlocked }}
        isBusy={isChanging}
        onAsk={(action, owner) => setAsked({ action, owner })}
      />
      <Outcome outcome={outcome} />
      {asked && (
        <Question
          title={words[asked.action].question}
          yes={words[asked.action].yes}
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

const words = {
  add: {
    question: 'Add this owner?',
    yes: 'Add as owner',
    done: 'Added the owner',
    failed: 'Could not add',
  },
  remove: {
    question: 'Remove this owner?',
    yes: 'Remove owner',
    done: 'Removed the owner',
    failed: 'Could not remove',
  },
  transfer: {
    question: 'Transfer ownership?',
    yes: 'Transfer ownership',
    done: 'The account now belongs to',
    failed: 'Could not transfer ownership to',
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
