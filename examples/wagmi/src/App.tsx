import {
  useConnect,
  useConnection,
  useConnectors,
  useDisconnect,
  useSendCalls,
  useSendTransaction,
  useSignMessage,
  useSignTypedData,
  useSwitchChain,
  useWaitForCallsStatus,
} from 'wagmi'
import { chain, otherChain } from './config.ts'

const typedData = {
  types: { Order: [{ name: 'item', type: 'string' }] },
  primaryType: 'Order',
  message: { item: 'tea' },
} as const

export function App() {
  const { status, address, chainId } = useConnection()
  return (
    <>
      <output aria-label="Status">{status}</output>
      {address ? <Wallet address={address} chainId={chainId ?? chain.id} /> : <Connect />}
    </>
  )
}

function Connect() {
  const [connector] = useConnectors()
  const { mutate: connect, error, isPending } = useConnect()
  return (
    <>
      <button type="button" disabled={isPending || !connector} onClick={() => connector && connect({ connector })}>
        Connect
      </button>
      <output aria-label="Outcome">{error ? `${error.name}: ${error.message}` : ''}</output>
    </>
  )
}

function Wallet({ address, chainId }: { address: `0x${string}`; chainId: number }) {
  const transaction = useSendTransaction()
  const message = useSignMessage()
  const data = useSignTypedData()
  const calls = useSendCalls()
  const { data: status } = useWaitForCallsStatus({ id: calls.data?.id, query: { enabled: calls.isSuccess } })
  const { mutate: switchChain } = useSwitchChain()
  const { mutate: disconnect } = useDisconnect()
  const failed = [transaction, message, data, calls].find(({ error }) => error)?.error
  const other = chainId === chain.id ? otherChain.id : chain.id
  return (
    <>
      <output aria-label="Account address">{address}</output>
      <output aria-label="Chain">{chainId}</output>
      <button type="button" onClick={() => transaction.mutate({ to: address, data: '0x' })}>
        Send
      </button>
      <output aria-label="Transaction">{transaction.data}</output>
      <button type="button" onClick={() => calls.mutate({ calls: [{ to: address }, { to: address }] })}>
        Send calls
      </button>
      <output aria-label="Calls">{status?.status}</output>
      <button type="button" onClick={() => message.mutate({ message: 'tea' })}>
        Sign message
      </button>
      <output aria-label="Message">{message.data}</output>
      <button type="button" onClick={() => data.mutate({ ...typedData, domain: { name: 'Shop', chainId } })}>
        Sign typed data
      </button>
      <output aria-label="Typed data">{data.data}</output>
      <button type="button" onClick={() => switchChain({ chainId: other })}>
        Switch chain
      </button>
      <button type="button" onClick={() => disconnect()}>
        Disconnect
      </button>
      <output aria-label="Outcome">{failed ? `${failed.name}: ${failed.message}` : ''}</output>
    </>
  )
}
