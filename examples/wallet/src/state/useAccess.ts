import { useMutation, useQuery } from '@tanstack/react-query'
import { useAuthModal, useSigner, useSignerStatus, useUser } from 'latchkey/react'
import { useEffect } from 'react'

/** The passkeys of the person signed in and the browsers they are signed in with, as the key-custody service has them. */
export function useAccess(isEnabled: boolean) {
  const signer = useSigner()
  const user = useUser()
  const { isConnected } = useSignerStatus()
  // Somebody who signs up may be adding a passkey there.
  const { isOpen } = useAuthModal()
  const query = useQuery({
    queryKey: ['access', user?.userId],
    enabled: isEnabled && !isOpen && isConnected,
    // A passkey session prompts for each question: ask once.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      if (!signer) return { passkeys: [], sessions: [] }
      const passkeys = await signer.listAuthenticators()
      return { passkeys, sessions: await signer.listSessions() }
    },
  })
  const remove = useMutation({
    mutationFn: async (id: string) => signer?.removeAuthenticator(id),
    onSuccess: () => query.refetch(),
  })
  const signOutElsewhere = useMutation({
    mutationFn: async () => signer?.revokeSessions(),
    onSuccess: () => query.refetch(),
  })
  const { reset: forgetRemoval } = remove
  const { reset: forgetSignOut } = signOutElsewhere
  // What an older sign-in was refused, the next one may do.
  useEffect(() => {
    if (isConnected) return
    forgetRemoval()
    forgetSignOut()
  }, [isConnected, forgetRemoval, forgetSignOut])
  return { ...query, remove, signOutElsewhere }
}
