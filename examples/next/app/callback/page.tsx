'use client'

import { useSignerStatus } from 'latchkey/react'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Where the mail's link leads: the provider takes the link out of the address and completes it. */
export default function Callback() {
  const router = useRouter()
  const { isConnected, isDisconnected } = useSignerStatus()
  useEffect(() => {
    if (isConnected) router.replace('/')
  }, [isConnected, router])
  return <main role="status">{isDisconnected ? 'Please sign in again.' : 'Signing you in …'}</main>
}
