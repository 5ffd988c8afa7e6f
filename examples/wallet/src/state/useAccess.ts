import { useMutation, useQuery } from '@tanstack/react-query'
import { useAuthModal, useSigner, useSignerStatus, useUser } from 'latchkey/react'
import { useEffect } from 'react'

/** The user's passkeys and the browsers they are signed in with, from the key-custody service. */
export function useAccess(isEnabled: boolean) {
  const signer = useSigner()
  const user = useUser()
  const { isConnected } = useSignerStatus()
  // After a sign-up the dialog may be adding a passkey.
  const { isOpen } = useAuthModal()
  const query = useQuery({
    queryKey: ['access', user?.userId],
    enabled: isEnabled && !isOpen && isConnected,
    // A passkey session prompts for each query: query once.
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
  const { reset: resetRemoval } = remove
  const { reset: resetSignOut } = signOutElsewhere
  // The next session may be allowed what the last one was refused.
  useEffect(() => {
    if (isConnected) return
    resetRemoval()
    resetSignOut()
  }, [isConnected, resetRemoval, resetSignOut])
  return { ...query, remove, signOutElsewhere }
}
