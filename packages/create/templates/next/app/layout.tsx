import { cookieToInitialState } from 'latchkey'
import 'latchkey/styles.css'
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import './app.css'
import { config } from './config'
import { Providers } from './Providers'

export const metadata: Metadata = { title: 'Latchkey app', icons: 'data:,' }

export default async function Layout({ children }: { children: ReactNode }) {
  const initialState = cookieToInitialState(config, (await headers()).get('cookie'))
  return (
    <html lang="en">
      <body>
        <Providers initialState={initialState}>{children}</Providers>
      </body>
    </html>
  )
}
