import { useAuthModal, useChain, useSmartAccountClient, useUser } from 'latchkey/react'
import { useEffect, useRef } from 'react'
import type { Address } from 'viem'
import { AccountCard } from './cards/AccountCard.tsx'
import { ActivityCard } from './cards/ActivityCard.tsx'
import { ExportCard } from './cards/ExportCard.tsx'
import { ImportCard } from './cards/ImportCard.tsx'
import { SendCard } from './cards/SendCard.tsx'
import { SignCard } from './cards/SignCard.tsx'
import { WaysCard } from './cards/WaysCard.tsx'
import type { WalletConfig } from './config.ts'
import { Hero } from './parts/Hero.tsx'
import { Waiting } from './parts/Waiting.tsx'
import { type Kind, useAccountKind, useHoldings } from './state/account.ts'
import { activityKey, addActivity, useActivity } from './state/activity.ts'
import { mintOperation, sendOperation } from './state/demoToken.ts'
import { type Client, type Place, useOperations } from './state/useOperations.ts'

export function WalletPage({ config }: { config: WalletConfig }) {
  const [kind, setKind] = useAccountKind()
  const { client, address, isLoadingClient } = useSmartAccountClient({
    type: kind.type,
    accountParams: kind.accountParams,
    gasManagerConfig: { policyId: config.policyId },
  })
  if (address) return <Account key={address} {...{ config, client, address, kind }} onKind={setKind} />
  if (isLoadingClient) return <p className="waiting">Opening your account…</p>
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
  const activity = useActivity(key)
  const { data: holdings } = useHoldings(address, demo)
  const { run, isBusy, timings, outcome, replace, replaceable } = useOperations(client, key)
  const outcomeAt = (place: Place) => (outcome?.place === place ? outcome : null)
  const heading = useFocusAfterDialog()
  const isPasskey = user?.credentialId !== undefined

  const noteAdded = () => {
    const note = `signed with your ${isPasskey ? 'passkey' : 'e-mail session'}`
    addActivity(key, {
      id: crypto.randomUUID(),
      kind: 'passkey',
      title: 'Added a passkey',
      status: 'done',
      at: Date.now(),
      note,
    })
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
        <ActivityCard
          activity={activity}
          outcome={outcomeAt('activity')}
          replaceable={replaceable}
          onReplace={replace}
        />
        <SignCard client={client} />
      </div>
      <div className="column">
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
        <Waiting />
        {user && <WaysCard user={user} onAdded={noteAdded} />}
        <ExportCard isPasskey={isPasskey} />
        <ImportCard />
      </div>
    </main>
  )
}

/** When the dialog closes, what opened it may have been removed: the focus then begins at the page's heading, not nowhere. */
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
        Does the chain run? It should answer at <code>{config.gatewayUrl}</code>. Start it with <code>npm start</code>,
        then try again.
      </p>
      <button type="button" className="button primary" onClick={() => location.reload()}>
        Try again
      </button>
    </Hero>
  )
}
