import { Button } from '@latchkey/ui/Button'
import { useAuthModal, useChain, useSmartAccountClient, useUser } from 'latchkey/react'
import { lazy, useEffect, useRef } from 'react'
import type { Address } from 'viem'
import { AccountCard } from './cards/AccountCard.tsx'
import type { WalletConfig } from './config.ts'
import { Hero, Opening } from './parts/Hero.tsx'
import { Panel } from './parts/Panel.tsx'
import { SessionEnd } from './parts/SessionEnd.tsx'
import { useKeptFocus } from './parts/useKeptFocus.ts'
import { Waiting } from './parts/Waiting.tsx'
import { type Kind, useAccountKind, useHoldings } from './state/account.ts'
import { activityKey, addNote } from './state/activity.ts'
import { mintOperation, sendOperation } from './state/demoToken.ts'
import { type Client, type Place, useSending } from './state/useSending.ts'

/** Cards that the first view does not need, each in its own chunk. */
const ActivityCard = lazy(async () => ({ default: (await import('./cards/ActivityCard.tsx')).ActivityCard }))
const DeleteCard = lazy(async () => ({ default: (await import('./cards/DeleteCard.tsx')).DeleteCard }))
const ExportCard = lazy(async () => ({ default: (await import('./cards/ExportCard.tsx')).ExportCard }))
const ImportCard = lazy(async () => ({ default: (await import('./cards/ImportCard.tsx')).ImportCard }))
const LimitsCard = lazy(async () => ({ default: (await import('./cards/LimitsCard.tsx')).LimitsCard }))
const OwnersCard = lazy(async () => ({ default: (await import('./cards/OwnersCard.tsx')).OwnersCard }))
const KeysCard = lazy(async () => ({ default: (await import('./cards/KeysCard.tsx')).KeysCard }))
const PluginsCard = lazy(async () => ({ default: (await import('./cards/PluginsCard.tsx')).PluginsCard }))
const SecondFactorCard = lazy(async () => ({
  default: (await import('./cards/SecondFactorCard.tsx')).SecondFactorCard,
}))
const SendCard = lazy(async () => ({ default: (await import('./cards/SendCard.tsx')).SendCard }))
const SessionKeyCard = lazy(async () => ({ default: (await import('./cards/SessionKeyCard.tsx')).SessionKeyCard }))
const SignCard = lazy(async () => ({ default: (await import('./cards/SignCard.tsx')).SignCard }))
const SignInMethodsCard = lazy(async () => ({
  default: (await import('./cards/SignInMethodsCard.tsx')).SignInMethodsCard,
}))

export function WalletPage({ config }: { config: WalletConfig }) {
  const [kind, setKind] = useAccountKind()
  const { client, address, isLoadingClient } = useSmartAccountClient({
    type: kind.type,
    accountParams: kind.accountParams,
    gasManagerConfig: { policyId: config.policyId },
  })
  if (address) return <Account key={address} {...{ config, client, address, kind }} onKind={setKind} />
  if (isLoadingClient) return <Opening what="account" />
  return <NoAccount config={config} />
}

type AccountProps = {
  config: WalletConfig
  client: Client | undefined
  address: Address
  kind: Kind
  onKind: (kind: Kind) => void
}

function Account({ config, client, address, kind, onKind }: AccountProps) {
  const { demo } = config.addresses
  const { chain } = useChain()
  const user = useUser()
  const key = activityKey(chain.id, address)
  const { data: holdings } = useHoldings(address, demo)
  const isDeployed = holdings?.isDeployed ?? false
  const { run, isBusy, timings, outcome, replace, isReplacing } = useSending(client)
  const outcomeAt = (place: Place) => (outcome?.place === place ? outcome : null)
  const heading = useFocusAfterDialog()
  useKeptFocus(heading)
  const isModular = kind.type === 'MultiOwnerModularAccount'
  const isPasskey = user?.credentialId !== undefined

  const noteAdded = () => {
    const note = `signed with your ${isPasskey ? 'passkey' : 'email session'}`
    addNote(key, { id: crypto.randomUUID(), kind: 'passkey', title: 'Added a passkey', at: Date.now(), note })
  }

  return (
    <main className="page">
      <h1 className="unseen" ref={heading} tabIndex={-1}>
        Your wallet
      </h1>
      <div className="column">
        <AccountCard
          address={address}
          holdings={holdings}
          isBusy={isBusy}
          isBlocked={!client}
          outcome={outcomeAt('account')}
          kind={kind}
          onKind={onKind}
          onMint={() => run('account', mintOperation(demo, address))}
        />
        <Panel className="card activity">
          <ActivityCard
            client={client}
            demo={demo}
            storageKey={key}
            outcome={outcomeAt('activity')}
            isReplacing={isReplacing}
            onReplace={replace}
          />
        </Panel>
        <Panel className="card sign">
          <SignCard client={client} />
        </Panel>
        {isModular && (
          <Panel className="card session-key">
            <SessionKeyCard {...{ config, client, isDeployed }} account={address} />
          </Panel>
        )}
        {user && (
          <Panel className="card owners">
            <OwnersCard {...{ client, kind }} account={address} own={user.address} policyId={config.policyId} />
          </Panel>
        )}
        {kind.type === 'ModularAccountV2' && (
          <Panel className="card plugins keys">
            <KeysCard {...{ client, isDeployed }} account={address} />
          </Panel>
        )}
        {isModular && (
          <Panel className="card plugins">
            <PluginsCard {...{ client, isDeployed }} account={address} />
          </Panel>
        )}
      </div>
      <div className="column">
        <Panel className="card send">
          <SendCard
            client={client}
            account={address}
            demo={demo}
            balance={holdings?.demo}
            isBusy={isBusy}
            isBlocked={!client}
            outcome={outcomeAt('send')}
            timings={timings}
            onSend={(recipients) => run('send', sendOperation(demo, recipients))}
          />
        </Panel>
        {user && (
          <Panel className="card sign-in-methods">
            <SignInMethodsCard user={user} onAdded={noteAdded} />
          </Panel>
        )}
        {user?.email !== undefined && (
          <Panel className="card second-factor">
            <SecondFactorCard isPrompted={user.credentialId !== undefined} />
          </Panel>
        )}
        <Panel className="card limits">
          <LimitsCard demo={demo} chainId={chain.id} />
        </Panel>
        <Panel className="card export">
          <ExportCard {...{ kind, demo, isPasskey }} ownerKey={user?.address} />
        </Panel>
        <Panel className="card import">
          <ImportCard />
        </Panel>
        <Panel className="card delete">
          <DeleteCard />
        </Panel>
      </div>
    </main>
  )
}

/** Lasting notices of a signed-in user. */
export function SessionNotices() {
  return (
    <>
      <Waiting />
      <SessionEnd />
    </>
  )
}

/** Moves the focus to the page's heading if the element that opened the dialog was removed. */
function useFocusAfterDialog() {
  const heading = useRef<HTMLHeadingElement>(null)
  const { isOpen } = useAuthModal()
  useEffect(() => {
    if (!isOpen && document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [isOpen])
  return heading
}

function NoAccount({ config }: { config: WalletConfig }) {
  return (
    <Hero title="Your account could not be opened">
      <p>
        Is the chain running? It should respond at <code>{config.gatewayUrl}</code>. Start it with{' '}
        <code>npm start</code>, then try again.
      </p>
      <Button look="primary" onClick={() => location.reload()}>
        Try again
      </Button>
    </Hero>
  )
}
