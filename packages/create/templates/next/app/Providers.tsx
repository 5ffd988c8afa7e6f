'use client'

import type { InitialState } from 'latchkey'
import { LatchkeyProvider } from 'latchkey/react'
import type { ReactNode } from 'react'
import { config } from './config'

export function Providers({ initialState, children }: { initialState: InitialState | undefined; children: ReactNode }) {
  return (
    <LatchkeyProvider config={config} initialState={initialState}>
      {children}
    </LatchkeyProvider>
  )
}
