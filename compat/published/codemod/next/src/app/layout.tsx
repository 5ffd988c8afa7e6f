import { cookieToInitialState } from '@account-kit/core'
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { config } from '@/config.ts'
import './globals.css'
import { Providers } from './providers.tsx'

export const metadata: Metadata = { title: 'Wallet' }

export default async function RootLayout({ children }: Readonly<{ children: React.ReactNode }>) {
  const initialState = cookieToInitialState(config, (await headers()).get('cookie') ?? undefined)
  return (
    <html lang="en">
      <body>
        <Providers initialState={initialState}>{children}</Providers>
      </body>
    </html>
  )
}
