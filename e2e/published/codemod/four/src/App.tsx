import {
  AlchemyAccountProvider,
  useAccount,
  useAuthenticate,
  useSendUserOperation,
  useSmartAccountClient,
  useUser,
} from '@account-kit/react'
import '@account-kit/react/styles.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { config } from './config.ts'

const queryClient = new QueryClient()

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <AlchemyAccountProvider config={config} queryClient={queryClient}>
      <SignIn />
      <Send />
    </AlchemyAccountProvider>
  </QueryClientProvider>
)

function SignIn() {
  const user = useUser()
  const { authenticate } = useAuthenticate()
  const otpCode = '123456789'
  return (
    <button
      type="button"
      onClick={() =>
        user
          ? authenticate({ type: 'otp', otpCode })
          : authenticate({ type: 'email', email: 'a@b.example', emailMode: 'otp' })
      }
    >
      Sign in
    </button>
  )
}

function Send() {
  const { address } = useAccount({ type: 'LightAccount' })
  const { client } = useSmartAccountClient({ type: 'LightAccount' })
  const { sendUserOperation } = useSendUserOperation({ client, waitForTxn: true })
  return (
    <button type="button" onClick={() => address && sendUserOperation({ uo: { target: address, data: '0x' } })}>
      Send
    </button>
  )
}
