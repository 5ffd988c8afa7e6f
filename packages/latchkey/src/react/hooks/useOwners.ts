import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RotationProgress } from '../../accounts/owners/rotateOwner.ts'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getOwnersQueryOptions, rotateOwnerMutationOptions } from '../../query/owners.ts'
import type { MiddlewareConfig } from '../../wallet/middleware/types.ts'
import type { AccountSelection, ChainOwners, RotationParameters } from '../../wallet/owners/accountOwners.ts'
import { dropOwnerPlan, type OwnerPlan, readOwnerPlan } from '../../wallet/owners/ownerPlan.ts'
import { useAuthModalContext, useLatchkeyContext } from '../context.ts'
import { type MutationOptions, useSessionMutation } from '../query/mutations.ts'
import { useSignerStatus } from './useSignerStatus.ts'
import { useUser } from './useUser.ts'

export declare namespace useOwners {
  type Parameters = AccountSelection &
    MiddlewareConfig & {
      mutation?: MutationOptions<unknown, Rotation> | undefined
    }
  /** Change of the owners. `to` defaults to the passkey of the unfinished rotation. */
  type Rotation = Pick<RotationParameters, 'to' | 'keep' | 'allowSinglePasskey'>
  type ReturnType = {
    /** The account on each chain; undefined until loaded. */
    chains: readonly ChainOwners[] | undefined
    isLoading: boolean
    reload: () => void
    /**
     * Adds an owner, verifies that it can sign, and removes the owners that are not kept. Continues an unfinished
     * rotation.
     */
    rotate: (rotation: Rotation) => void
    /** Same as `rotate`, but returns a promise that settles when the rotation ends. */
    rotateAsync: (rotation: Rotation) => Promise<unknown>
    isRotating: boolean
    /**
     * Opens the dialog at the step that adds a backup key: a passkey or a paper key. Also continues an unfinished
     * rotation. Needs `latchkey/styles.css`.
     */
    openDialog: () => void
    /** Latest state of each step of the current or last rotation, in order. */
    progress: readonly RotationProgress[]
    /** Unfinished rotation of this account, from this visit or an earlier one. */
    plan: OwnerPlan | null
    /** Discards the unfinished rotation. Owners that were already added remain. */
    dismissPlan: () => void
    /** Error of the last rotation, otherwise the error of loading the owners. */
    error: CodedError | null
  }
}

/**
 * Reads the owners of the user's account on all chains of the config, and changes them.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useOwners } from 'latchkey/react'
 * import { createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
 *
 * export function BackupKey() {
 *   const { chains = [], rotate, isRotating } = useOwners({ type: 'MultiOwnerLightAccount' })
 *   const addPasskey = async () => {
 *     const credential = await createWebAuthnCredential({ name: 'Backup key' })
 *     rotate({ to: toWebAuthnAccount({ credential }), keep: 'all' })
 *   }
 *   return (
 *     <button disabled={isRotating} onClick={addPasskey}>
 *       {chains.map(({ name, owners }) => `${name}: ${owners.length}`).join(', ')}
 *     </button>
 *   )
 * }
 * ```
 */
export function useOwners(parameters: useOwners.Parameters): useOwners.ReturnType {
  const { type, accountParams, chains, mutation, ...middleware } = parameters
  const { config, queryClient } = useLatchkeyContext('useOwners')
  const { addOwner, isOpen } = useAuthModalContext('useOwners')
  const { isConnected } = useSignerStatus()
  const user = useUser()
  const [progress, setProgress] = useState<readonly RotationProgress[]>([])
  const selection = { type, accountParams, chains }
  const query = getOwnersQueryOptions(config, { ...selection, user })
  const loaded = useQuery({ ...query, enabled: isConnected }, queryClient)
  const { refetch } = loaded
  const wasOpen = useRef(isOpen)
  // The dialog may have changed the owners.
  useEffect(() => {
    if (wasOpen.current && !isOpen && isConnected) void refetch()
    wasOpen.current = isOpen
  }, [isOpen, isConnected, refetch])
  const onProgress = (next: RotationProgress) =>
    setProgress((last) => [...last.filter((one) => one.step !== next.step || one.chainId !== next.chainId), next])
  const { mutate, mutateAsync, isPending, error } = useSessionMutation('useOwners', mutation, (config) => {
    const { mutationFn, ...rest } = rotateOwnerMutationOptions(config)
    return {
      ...rest,
      mutationFn: async (rotation: useOwners.Rotation) => {
        setProgress([])
        try {
          return (await mutationFn({ ...middleware, ...selection, ...rotation, onProgress })) as unknown
        } finally {
          await loaded.refetch()
        }
      },
    }
  })
  const stored = readOwnerPlan(config)
  const isOwn = stored !== null && stored.type === type && loaded.data?.[0]?.address === stored.address
  return {
    chains: isConnected ? loaded.data : undefined,
    isLoading: loaded.isFetching,
    reload: () => void loaded.refetch(),
    rotate: (rotation) => mutate(rotation),
    rotateAsync: (rotation) => mutateAsync(rotation),
    isRotating: isPending,
    openDialog: () => addOwner({ ...selection, ...middleware }),
    progress,
    plan: isOwn && !isPending ? stored : null,
    dismissPlan: () => {
      dropOwnerPlan(config)
      setProgress([])
    },
    error: error ?? loaded.error,
  }
}
