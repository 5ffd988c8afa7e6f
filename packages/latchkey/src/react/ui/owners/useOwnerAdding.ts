import { useEffect, useState } from 'react'
import { type Address, isAddressEqual } from 'viem'
import type { RotationProgress, RotationStep } from '../../../accounts/owners/rotateOwner.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { passkeyName } from '../../../core/passkeyName.ts'
import { requireOnline } from '../../../core/requireOnline.ts'
import type { PaperKeyOwner } from '../../../signer/PaperKey.ts'
import type { User } from '../../../signer/types.ts'
import { createPasskeyOwner } from '../../../wallet/owners/createPasskeyOwner.ts'
import { useLatchkeyContext } from '../../context.ts'
import { useOwners } from '../../hooks/useOwners.ts'
import { useSigner } from '../../hooks/useSigner.ts'
import { useUser } from '../../hooks/useUser.ts'
import { useLanguage } from '../texts/language.ts'
import type { OwnerSelection } from '../uiConfig.ts'

/** Step of each network, in the order in which the steps are shown. */
export type ChainSteps = { chainId: number; name: string; steps: readonly StepState[] }
export type StepState = { step: RotationStep; state?: RotationProgress['state'] | undefined }

/**
 * View of the step that adds a backup key. `single`: the account can have only one owner. `writing`: the user writes
 * the paper key down. `paused`: an earlier rotation to a passkey is unfinished.
 */
export type OwnerAddingView = {
  state: 'choose' | 'single' | 'writing' | 'adding' | 'paused' | 'done'
  /** Whether the owners are still being read. */
  isLoading: boolean
  /** Whether the owners could not be read. */
  isUnknown: boolean
  /** Whether another owner remains on every network if the sign-in key is removed. */
  canRemove: boolean
  isRemoving: boolean
  /** Whether the key being added is a passkey. Its rotation continues after the page was closed. */
  isPasskey: boolean
  chains: readonly ChainSteps[]
  error?: unknown
}

export type OwnerActions = {
  addPasskey: () => void
  addPaperKey: () => void
  setRemoving: (isRemoving: boolean) => void
  /** Continues the unfinished rotation. */
  resume: () => void
  /** Discards the unfinished rotation. */
  dismiss: () => void
  /** Closes the frame with the paper key. */
  cancelPaperKey: () => void
  reload: () => void
}

/** Adds a backup key to the account of `selection`, and tracks the progress. */
export function useOwnerAdding(
  selection: OwnerSelection,
  containerId: string,
): OwnerActions & { view: OwnerAddingView; isBusy: boolean } {
  const { config } = useLatchkeyContext('useOwners')
  const user = useUser()
  const { texts } = useLanguage()
  const owners = useOwners(selection)
  const { chains, rotateAsync, isRotating, plan, dismissPlan, reload } = owners
  const [added, setAdded] = useState<'passkey' | 'paper' | undefined>()
  const [failure, setFailure] = useState<unknown>()
  const paper = usePaperKey(containerId)
  const [isRemoving, setRemoving] = useState(false)
  const [isDone, setIsDone] = useState(false)

  const begin = async (kind: 'passkey' | 'paper', act: () => Promise<unknown>) => {
    setFailure(undefined)
    setAdded(kind)
    try {
      requireOnline()
      await act()
      setIsDone(true)
    } catch (cause) {
      if (cause instanceof BaseError && cause.code === 'ABORTED') return
      console.error(cause)
      setFailure(cause)
    }
  }
  const others = othersOf(chains, user)
  const addPasskey = async () =>
    rotateAsync({
      to: await createPasskeyOwner(config, passkeyName(texts.ownerName, new Date())),
      keep: isRemoving && others ? others : 'all',
    })
  const addPaperKey = () => paper.write((owner) => rotateAsync({ to: owner, keep: 'all' }))

  const state = () => {
    if (isRotating) return 'adding'
    if (paper.isWriting) return 'writing'
    if (plan) return 'paused'
    if (isDone) return 'done'
    return chains?.some(({ isSingle }) => isSingle) ? 'single' : 'choose'
  }
  return {
    isBusy: isRotating,
    view: {
      state: state(),
      isLoading: chains === undefined && owners.isLoading,
      isUnknown: chains === undefined && !owners.isLoading,
      canRemove: others !== undefined,
      isRemoving,
      isPasskey: added !== 'paper',
      chains: toSteps(owners, isRemoving),
      error: isRotating ? undefined : (failure ?? owners.error ?? undefined),
    },
    addPasskey: () => void begin('passkey', addPasskey),
    addPaperKey: () => void begin('paper', addPaperKey),
    setRemoving,
    resume: () => {
      setRemoving(plan !== null && plan.keep !== 'all')
      void begin('passkey', () => rotateAsync({}))
    },
    dismiss: () => {
      dismissPlan()
      setFailure(undefined)
    },
    cancelPaperKey: paper.cancel,
    reload,
  }
}

/** Creates a paper key in a frame, which is removed with the component. */
function usePaperKey(iframeContainerId: string) {
  const signer = useSigner()
  const [writing, setWriting] = useState<AbortController | null>(null)
  useEffect(() => () => writing?.abort(), [writing])
  return {
    isWriting: writing !== null,
    cancel: () => writing?.abort(),
    /** Calls `use` with the new key once the user has written it down. */
    async write(use: (owner: PaperKeyOwner) => Promise<unknown>) {
      const stop = new AbortController()
      setWriting(stop)
      try {
        const key = await signer?.createPaperKey({ iframeContainerId, signal: stop.signal })
        setWriting(null)
        if (key) await use(key.owner).finally(key.close)
      } finally {
        setWriting(null)
      }
    },
  }
}

/**
 * Returns the owners that remain if the sign-in key is removed. Returns undefined if there are none, or if they differ
 * between the networks.
 */
function othersOf(chains: useOwners.ReturnType['chains'] = [], user: User | null): readonly Address[] | undefined {
  const lists = chains.map(({ owners }) =>
    owners.map(({ address }) => address).filter((address) => user && !isAddressEqual(address, user.address)),
  )
  const [first = []] = lists
  const isSame = new Set(lists.map((list) => [...list].sort().join())).size === 1
  return isSame && first.length > 0 ? first : undefined
}

function toSteps({ chains = [], progress }: useOwners.ReturnType, isRemoving: boolean): ChainSteps[] {
  const steps: readonly RotationStep[] = isRemoving ? ['add', 'prove', 'remove'] : ['add', 'prove']
  return chains.map(({ chainId, name }) => ({
    chainId,
    name,
    steps: steps.map((step) => ({
      step,
      state: progress.find((one) => one.chainId === chainId && one.step === step)?.state,
    })),
  }))
}
