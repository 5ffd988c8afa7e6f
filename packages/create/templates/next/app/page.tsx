'use client'

import { Wallet } from './Wallet'

export default function Home() {
  return (
    <main>
      <h1>Latchkey app</h1>
      <Wallet />
    </main>
  )
}
