import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { LatchkeyProvider } from 'latchkey/react'
import 'latchkey/styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { WagmiProvider } from 'wagmi'
import { App } from './App.tsx'
import { config, wagmiConfig } from './config.ts'

const queryClient = new QueryClient()

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <WagmiProvider config={wagmiConfig}>
      <QueryClientProvider client={queryClient}>
        <LatchkeyProvider config={config} queryClient={queryClient}>
          <App />
        </LatchkeyProvider>
      </QueryClientProvider>
    </WagmiProvider>
  </StrictMode>,
)
