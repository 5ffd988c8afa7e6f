import { AlchemyAccountProvider } from '@alchemy/aa-alchemy/react'
import { QueryClient } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { config } from './config.ts'
import { Everything, SignIn, Wallet } from './Wallet.tsx'

const queryClient = new QueryClient()

export const App = () => (
  <AlchemyAccountProvider
    config={config}
    queryClient={queryClient}
    uiConfig={{ auth: { sections: [[{ type: 'email' }]] } }}
  >
    <SignIn />
    <Wallet />
  </AlchemyAccountProvider>
)

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)

export { Everything }
