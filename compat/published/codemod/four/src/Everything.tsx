import {
  AuthCard,
  useAddPasskey,
  useAuthModal,
  useBundlerClient,
  useChain,
  useClientActions,
  useDropAndReplaceUserOperation,
  useExportAccount,
  useSendCalls,
  useSigner,
  useSignMessage,
  useSignTypedData,
  useSmartAccountClient,
  useWaitForUserOperationTransaction,
} from '@account-kit/react'
import { multiOwnerPluginActions } from '@account-kit/smart-contracts'

/** Uses every hook with a counterpart that the page does not use. Only compiled, never rendered. */
export function Everything() {
  const { client, address, isLoadingClient } = useSmartAccountClient({ type: 'MultiOwnerModularAccount' })
  const { openAuthModal, closeAuthModal, isOpen } = useAuthModal()
  const bundlerClient = useBundlerClient()
  const { chain, setChain } = useChain()
  const { executeAction, isExecutingAction } = useClientActions({
    client: client as never,
    actions: multiOwnerPluginActions as never,
  })
  const { dropAndReplaceUserOperation } = useDropAndReplaceUserOperation({ client })
  const { exportAccount, ExportAccountComponent, isExported } = useExportAccount({})
  const { addPasskey } = useAddPasskey()
  const { sendCalls } = useSendCalls({ client })
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
          executeAction({ functionName: 'readOwners', args: [{}] } as never)
          exportAccount()
          addPasskey()
          sendCalls({ calls: [{ to: '0x0000000000000000000000000000000000000001', data: '0x' }] } as never)
          signMessage({ message: 'hello' })
          waitForUserOperationTransaction({ hash: '0x' })
          dropAndReplaceUserOperation({ uoToDrop: {} as never })
          signTypedData({ typedData: { types: {}, primaryType: 'X', domain: {}, message: {} } as never })
          await signer?.getAuthDetails()
        }}
      >
        {address ?? String(isLoadingClient || isExecutingAction || isOpen)}
      </button>
      <ExportAccountComponent isExported={isExported} />
      <AuthCard />
      <p>{signedMessage}</p>
    </div>
  )
}
