import { useChain, useSmartAccountClient } from 'latchkey/react'
import { type Address, encodeFunctionData, parseEther } from 'viem'
import { AccountCard } from './cards/AccountCard.tsx'
import { ActivityCard } from './cards/ActivityCard.tsx'
import { SendCard } from './cards/SendCard.tsx'
import { SessionCard } from './cards/SessionCard.tsx'
import type { WalletConfig } from './config.ts'
import { demoAbi } from './demoToken.ts'
import { formatAmount, shortHex } from './format.ts'
import { Hero } from './parts/Hero.tsx'
import { activityKey, useActivity } from './state/activity.ts'
import { useHoldings } from './state/useHoldings.ts'
import { useOperations } from './state/useOperations.ts'

export function WalletPage({ config }: { config: WalletConfig }) {
  const { demo } = config.addresses
  const { chain } = useChain()
  const { client, address, isLoadingClient } = useSmartAccountClient({
    type: 'LightAccount',
    gasManagerConfig: { policyId: config.policyId },
  })
  const key = address ? activityKey(chain.id, address) : null
  const activity = useActivity(key)
  const { data: holdings } = useHoldings(address, demo)
  const { run, isBusy, timings, failure } = useOperations(client, key)

  if (!address)
    return isLoadingClient ? <p className="waiting">Opening your account…</p> : <NoAccount config={config} />

  const mint = () => {
    const data = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [address, parseEther('100')] })
    return run({ title: 'Minted 100 DEMO', target: demo, data })
  }
  const send = (to: Address, amount: bigint) => {
    const data = encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [to, amount] })
    return run({ title: `Sent ${formatAmount(amount)} DEMO to ${shortHex(to)}`, target: demo, data })
  }
  const isBlocked = isBusy || !client

  return (
    <main className="page">
      <div className="column">
        <AccountCard address={address} holdings={holdings} isBusy={isBlocked} onMint={mint} />
        {failure && (
          <p className="error" role="alert">
            <b>{failure.title}: not done.</b> {failure.text}
          </p>
        )}
        <ActivityCard activity={activity} />
      </div>
      <div className="column">
        <SendCard balance={holdings?.demo} isBusy={isBlocked} timings={timings} onSend={send} />
        <SessionCard />
      </div>
    </main>
  )
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
