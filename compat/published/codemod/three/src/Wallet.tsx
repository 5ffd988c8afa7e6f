import { multiOwnerPluginActions } from '@alchemy/aa-accounts'
import {
  useAccount,
  useAddPasskey,
  useAuthenticate,
  useAuthModal,
  useBundlerClient,
  useChain,
  useClientActions,
  useDropAndReplaceUserOperation,
  useExportAccount,
  useLogout,
  useSendTransaction,
  useSendTransactions,
  useSendUserOperation,
  useSigner,
  useSignerStatus,
  useSignMessage,
  useSignTypedData,
  useSmartAccountClient,
  useUser,
  useWaitForUserOperationTransaction,
} from '@alchemy/aa-alchemy/react'

export function SignIn() {
  const user = useUser()
  const { isConnected, isInitializing } = useSignerStatus()
  const { authenticate, isPending, error } = useAuthenticate()
  if (isInitializing) return <p>Starting</p>
  if (isConnected) return <p id="user">{user?.email}</p>
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        authenticate({ type: 'email', email: String(new FormData(event.currentTarget).get('email')) })
      }}
    >
      <input name="email" type="email" aria-label="Email" />
      <button type="submit">{isPending ? 'Look into your mail' : 'Sign in'}</button>
      {error && <p role="alert">{error.message}</p>}
    </form>
  )
}

export function Wallet() {
  const gasManagerConfig = { policyId: 'default' }
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig })
  const { sendUserOperation, sendUserOperationResult, error } = useSendUserOperation({ client, waitForTxn: true })
  const { logout } = useLogout()
  if (!address) return null
  return (
    <section>
      <p id="address">{address}</p>
      <button type="button" onClick={() => sendUserOperation({ uo: { target: address, data: '0x' } })}>
        Send
      </button>
      <p id="sent">{sendUserOperationResult?.hash}</p>
      {error && <p role="alert">{error.message}</p>}
      <button type="button" onClick={() => logout()}>
        Sign out
      </button>
    </section>
  )
}

/** Uses every hook that the page above does not use. Only compiled, never rendered. */
export function Everything() {
  const { client } = useSmartAccountClient({ type: 'MultiOwnerModularAccount' })
  const { account, address, isLoadingAccount } = useAccount({ type: 'LightAccount', skipCreate: true })
  const { openAuthModal, closeAuthModal } = useAuthModal()
  const bundlerClient = useBundlerClient()
  const { chain, setChain } = useChain({})
  const { executeAction, isExecutingAction } = useClientActions({ client, actions: multiOwnerPluginActions })
  const { dropAndReplaceUserOperation } = useDropAndReplaceUserOperation({ client })
  const { exportAccount, ExportAccountComponent, isExported } = useExportAccount({})
  const { addPasskey } = useAddPasskey()
  const { sendTransaction } = useSendTransaction({ client })
  const { sendTransactions } = useSendTransactions({ client })
  const { signMessage, signedMessage } = useSignMessage({ client })
  const { signTypedData } = useSignTypedData({ client })
  const { waitForUserOperationTransaction } = useWaitForUserOperationTransaction({ client })
  const signer = useSigner()
  return (
    <div>
      <button
        type="button"
        onClick={async () => {
          openAuthModal()
          closeAuthModal()
          setChain({ chain })
          await bundlerClient.getBlockNumber()
          executeAction({ functionName: 'readOwners', args: [{}] })
          exportAccount()
          addPasskey()
          sendTransaction({ to: '0x0000000000000000000000000000000000000001', data: '0x' } as never)
          sendTransactions({ requests: [] })
          signMessage({ message: 'hello' })
          waitForUserOperationTransaction({ hash: '0x' })
          dropAndReplaceUserOperation({ uoToDrop: {} as never })
          signTypedData({ typedData: { types: {}, primaryType: 'X', domain: {}, message: {} } as never })
          await signer?.getAuthDetails()
        }}
      >
        {account?.address ?? address ?? String(isLoadingAccount || isExecutingAction)}
      </button>
      <ExportAccountComponent isExported={isExported} />
      <p>{signedMessage}</p>
    </div>
  )
}
