import '../../latchkey/src/react/ui/tokens.css'
import './styles/page.css'
import './styles/parts.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { CallError } from './api/request.ts'

const queries = new QueryClient({
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
