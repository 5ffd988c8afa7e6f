import { AlchemyAccountProvider } from '@account-kit/react'
import '@account-kit/react/styles.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { config } from './config.ts'
import { Everything } from './Everything.tsx'
import { SignIn, Wallet } from './Wallet.tsx'

const queryClient = new QueryClient()

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <AlchemyAccountProvider config={config} queryClient={queryClient}>
      <SignIn />
      <Wallet />
    </AlchemyAccountProvider>
  </QueryClientProvider>
)

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)

export { Everything }
