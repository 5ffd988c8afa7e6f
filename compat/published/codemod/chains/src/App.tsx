import { type LightAccount, lightAccountClientActions } from '@alchemy/aa-accounts'
import {
  AlchemyAccountProvider,
  useAccount,
  useAlchemyAccountContext,
  useAuthModal,
  useChain,
  useClientActions,
  useSendTransaction,
  useSendUserOperation,
  useSmartAccountClient,
  useUser,
} from '@alchemy/aa-alchemy/react'
import { type SendUserOperationResult, sepolia, WaitForUserOperationError } from '@alchemy/aa-core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { chains, config } from './config.ts'

const queryClient = new QueryClient()

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <AlchemyAccountProvider
      config={config}
      queryClient={queryClient}
      uiConfig={{ auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]], addPasskeyOnSignup: true } }}
    >
      <Wallet />
    </AlchemyAccountProvider>
  </QueryClientProvider>
)

function Wallet() {
  const user = useUser()
  const { chain, setChain, isSettingChain } = useChain()
  const { openAuthModal } = useAuthModal()
  const { config: known } = useAlchemyAccountContext()
  const { account, isLoadingAccount } = useAccount({ type: 'LightAccount' })
  const { client } = useSmartAccountClient({
    type: 'LightAccount',
    accountParams: { salt: 0n },
    gasManagerConfig: { policyId: 'default' },
    opts: { txMaxRetries: 20 },
  })
  const [result, setResult] = useState<SendUserOperationResult>()
  const { sendUserOperation, error } = useSendUserOperation({ client, onSuccess: setResult })
  const { sendTransactionAsync } = useSendTransaction({ client })
  const { executeAction } = useClientActions({ client, actions: lightAccountClientActions })
  if (!user)
    return (
      <button type="button" onClick={() => openAuthModal()}>
        Sign in
      </button>
    )
  return (
    <section>
      <select disabled={isSettingChain} onChange={(event) => setChain({ chain: pick(event.target.value) })}>
        {chains.map(({ id, name }) => (
          <option key={id} value={id} selected={id === chain.id}>
            {name}
          </option>
        ))}
      </select>
      <p id="user">{user.email}</p>
      <p id="owner">{user.address}</p>
      <p id="address">{isLoadingAccount ? 'Loading' : describe(account)}</p>
      <button
        type="button"
        disabled={!client}
        onClick={() => sendUserOperation({ uo: { target: user.address, data: '0x' } })}
      >
        Send
      </button>
      <button
        type="button"
        onClick={async () => {
          await sendTransactionAsync({ requests: { to: user.address, data: '0x' } } as never)
          executeAction({ functionName: 'transferOwnership', args: [{ newOwner: user.address }] } as never)
        }}
      >
        Give away
      </button>
      <p id="sent">{result?.hash ?? (error instanceof WaitForUserOperationError ? 'Late' : error?.message)}</p>
      <p>{known === config ? 'same' : 'other'}</p>
    </section>
  )
}

const pick = (id: string) => chains.find((chain) => String(chain.id) === id) ?? sepolia

const describe = (account: LightAccount | undefined) => account?.address ?? 'none'
