'use client'

import { useSignerStatus } from 'latchkey/react'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Page that the e-mail's link opens. The provider reads the link from the URL and completes the sign-in. */
export default function Callback() {
  const router = useRouter()
  const { isConnected, isDisconnected } = useSignerStatus()
  useEffect(() => {
    if (isConnected) router.replace('/')
  }, [isConnected, router])
  return <main role="status">{isDisconnected ? 'Please sign in again.' : 'Signing you in …'}</main>
}
