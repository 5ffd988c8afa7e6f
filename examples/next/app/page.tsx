import { Wallet } from './wallet.tsx'

export default function Home() {
  return (
    <main>
      <h1>Latchkey with Next.js</h1>
      <Wallet />
    </main>
  )
}
