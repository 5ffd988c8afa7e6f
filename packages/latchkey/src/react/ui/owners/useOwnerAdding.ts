import { useEffect, useState } from 'react'
import { type Address, isAddressEqual } from 'viem'
import type { RotationProgress, RotationStep } from '../../../accounts/owners/rotateOwner.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { passkeyName } from '../../../core/passkeyName.ts'
import { requireOnline } from '../../../core/requireOnline.ts'
import { getOwnersQueryOptions, rotateOwnerMutationOptions } from '../../../query/owners.ts'
import type { PaperKeyOwner } from '../../../signer/PaperKey.ts'
import type { Signer, User } from '../../../signer/types.ts'
import type { ChainOwners } from '../../../wallet/owners/accountOwners.ts'
import { createPasskeyOwner } from '../../../wallet/owners/createPasskeyOwner.ts'
import { dropOwnerPlan, readOwnerPlan } from '../../../wallet/owners/ownerPlan.ts'
import type { LatchkeyConfig } from '../../../wallet/store/types.ts'
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

type Parameters = { owner: OwnerSelection; config: LatchkeyConfig; signer: Signer | null; containerId: string }

/** Adds a backup key to the account of `owner`, and tracks the progress. */
export function useOwnerAdding({
  owner,
  config,
  signer,
  containerId,
}: Parameters): OwnerActions & { view: OwnerAddingView; isBusy: boolean } {
  const user = signer?.user ?? null
  const { texts } = useLanguage()
  const { chains, isLoading, load, rotate, isRotating, progress, error } = useRotation(config, owner, user)
  const [added, setAdded] = useState<'passkey' | 'paper' | undefined>()
  const [failure, setFailure] = useState<unknown>()
  const paper = usePaperKey(signer, containerId)
  const [isRemoving, setRemoving] = useState(false)
  const [isDone, setIsDone] = useState(false)
  const [isDismissed, setIsDismissed] = useState(false)
  const stored = readOwnerPlan(config)
  const isOwn = stored?.type === owner.type && stored.address === chains?.[0]?.address
  const plan = isOwn && !isRotating && !isDismissed ? stored : null

  const begin = async (kind: 'passkey' | 'paper', act: () => Promise<unknown>) => {
    setFailure(undefined)
    setIsDismissed(false)
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
  const addPasskey = async () => {
    const passkey = await createPasskeyOwner(config, passkeyName(texts.ownerName, new Date()))
    await rotate({ to: passkey, keep: isRemoving && others ? others : 'all' })
  }
  const addPaperKey = () => paper.write((to) => rotate({ to, keep: 'all' }))

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
      isLoading: chains === undefined && isLoading,
      isUnknown: chains === undefined && !isLoading,
      canRemove: others !== undefined,
      isRemoving,
      isPasskey: added !== 'paper',
      chains: toSteps({ chains, progress, isRemoving }),
      error: isRotating ? undefined : (failure ?? error),
    },
    addPasskey: () => void begin('passkey', addPasskey),
    addPaperKey: () => void begin('paper', addPaperKey),
    setRemoving,
    resume: () => {
      setRemoving(plan !== null && plan.keep !== 'all')
      void begin('passkey', () => rotate({}))
    },
    dismiss: () => {
      dropOwnerPlan(config)
      setFailure(undefined)
      setIsDismissed(true)
    },
    cancelPaperKey: paper.cancel,
    reload: load,
  }
}

/**
 * Reads and changes the owners. Does not use `useOwners`: its query and context would be shared with the first load,
 * and bundlers then split the first load into more files.
 */
function useRotation(config: LatchkeyConfig, owner: OwnerSelection, user: User | null) {
  const [chains, setChains] = useState<readonly ChainOwners[]>()
  const [isLoading, setIsLoading] = useState(true)
  const [error, setError] = useState<unknown>()
  const [progress, setProgress] = useState<readonly RotationProgress[]>([])
  const [isRotating, setIsRotating] = useState(false)
  const read = async () => {
    setIsLoading(true)
    setError(undefined)
    try {
      setChains(await getOwnersQueryOptions(config, { ...owner, user }).queryFn())
    } catch (cause) {
      setError(cause)
    } finally {
      setIsLoading(false)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads once for each account
  useEffect(() => void read(), [config, owner])
  const onProgress = (next: RotationProgress) =>
    setProgress((last) => [...last.filter((one) => one.step !== next.step || one.chainId !== next.chainId), next])
  return {
    chains,
    isLoading,
    error,
    progress,
    isRotating,
    load: () => void read(),
    async rotate(rotation: Pick<rotateOwnerMutationOptions.Variables, 'to' | 'keep'>): Promise<void> {
      setProgress([])
      setIsRotating(true)
      try {
        await rotateOwnerMutationOptions(config).mutationFn({ ...owner, ...rotation, onProgress })
      } finally {
        await read()
        setIsRotating(false)
      }
    },
  }
}

/** Creates a paper key in a frame, which is removed with the component. */
function usePaperKey(signer: Signer | null, iframeContainerId: string) {
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
function othersOf(chains: readonly ChainOwners[] = [], user: User | null): readonly Address[] | undefined {
  const lists = chains.map(({ owners }) =>
    owners.map(({ address }) => address).filter((address) => user && !isAddressEqual(address, user.address)),
  )
  const [first = []] = lists
  const isSame = new Set(lists.map((list) => [...list].sort().join())).size === 1
  return isSame && first.length > 0 ? first : undefined
}

type Steps = {
  chains: readonly ChainOwners[] | undefined
  progress: readonly RotationProgress[]
  isRemoving: boolean
}

function toSteps({ chains = [], progress, isRemoving }: Steps): ChainSteps[] {
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
