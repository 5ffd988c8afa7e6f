import '@latchkey/ui/base.css'
import './styles/page.css'
import './styles/parts.css'
import './styles/table.css'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { type ConsoleConfig, configKey } from './api/queries.ts'
import { CallError, setPageToken } from './api/request.ts'

const passing = ['OFFLINE', 'NETWORK_UNREACHABLE']

function noteEnd(error: Error): void {
  if (!(error instanceof CallError) || error.code !== 'UNAUTHENTICATED') return
  setPageToken(undefined)
  queries.setQueryData<ConsoleConfig>(
    configKey,
    (config) =>
      config && { ...config, isEnded: config.isEnded || config.pageToken !== undefined, pageToken: undefined },
  )
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteEnd }),
  mutationCache: new MutationCache({ onError: noteEnd }),
  defaultOptions: {
    // Does not retry refusals, which are permanent. A restarting server returns shortly.
    queries: { retry: (count, error) => count < 3 && error instanceof CallError && passing.includes(error.code) },
  },
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
