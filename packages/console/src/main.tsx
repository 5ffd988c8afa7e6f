import '../../latchkey/src/react/ui/tokens.css'
import './styles/page.css'
import './styles/parts.css'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { type ConsoleConfig, configKey } from './api/queries.ts'
import { CallError, setPageToken } from './api/request.ts'

/** A session that ended is told once, by whichever call meets it. */
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
    // What the server refuses it refuses again.
    queries: { retry: (count, error) => count < 2 && error instanceof CallError && error.code === 'OFFLINE' },
  },
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
