import { cookieToInitialState } from 'latchkey'
import 'latchkey/styles.css'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { config } from './config.ts'
import { Providers } from './providers.tsx'

export const metadata = { title: 'Latchkey with Next.js', icons: 'data:,' }

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
