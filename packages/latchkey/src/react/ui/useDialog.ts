import { createElement, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { createChunk } from '../../core/createChunk.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { ChunkFailedError } from '../../core/errors/ChunkFailedError.ts'
import { runnerChunk } from '../../signer/openSigner.ts'
import type { Signer } from '../../signer/types.ts'
import { reconnect } from '../../wallet/actions/session.ts'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import type { DialogActions } from './AuthDialog.tsx'
import { ChunkFailure } from './ChunkFailure.tsx'
import type { OwnerSelection, UiConfig } from './uiConfig.ts'

/** Chunk listed in `wallet/chunks.ts`. */
const dialogChunk = /* @__PURE__ */ createChunk({ name: 'dialog', import: () => import('./AuthDialog.tsx') })

export type Dialog = DialogActions & {
  prefetch: () => void
  /** True once the app has opened the dialog, even while the dialog's code is loading. */
  isOpen: boolean
  /** Element to render. */
  dialog: ReactElement | undefined
  notice: ReactElement | undefined
}

type Module = typeof import('./AuthDialog.tsx')

/** Renders the dialog, which is loaded when it is opened or this page was opened by an e-mail link. */
export function useDialog(config: LatchkeyConfig, uiConfig: UiConfig, opensItself: () => boolean): Dialog {
  const [module, setModule] = useState<Module>()
  const [isOpen, setIsOpen] = useState(false)
  const [failure, setFailure] = useState<BaseError>()
  const actions = useRef<DialogActions | null>(null)
  /** Action that the user chose before the dialog was loaded. */
  const wanted = useRef<((actions: DialogActions) => void) | null>(null)
  const isRetried = useRef(false)
  const prefetch = usePrefetch(uiConfig)

  const { load, open, addOwner, close, retry, fail, clear, onActions } = useMemo(() => {
    const fail = (error: unknown) => {
      if (error instanceof ChunkFailedError && (wanted.current || opensItself())) setFailure(error)
    }
    const load = () => {
      prefetch()
      dialogChunk.load().then(setModule, fail)
    }
    const show = (act: (actions: DialogActions) => void) => {
      setIsOpen(true)
      if (actions.current) return act(actions.current)
      wanted.current = act
      load()
    }
    return {
      load,
      fail,
      clear: () => setFailure(undefined),
      open: () => show((actions) => actions.open()),
      addOwner: (owner: OwnerSelection) => show((actions) => actions.addOwner(owner)),
      close() {
        wanted.current = null
        setFailure(undefined)
        setIsOpen(false)
        actions.current?.close()
      },
      retry() {
        if (isRetried.current) return window.location.reload()
        isRetried.current = navigator.onLine // A failure while offline does not count as a repeated failure.
        setFailure(undefined)
        load()
        void reconnect(config)
      },
      onActions(next: DialogActions | null) {
        actions.current = next
        if (!next) return
        wanted.current?.(next)
        wanted.current = null
      },
    }
  }, [config, opensItself, prefetch])

  useSignerEvents(config, { load, fail, clear })
  useOutside(config, open, isOpen)

  const props = { config, uiConfig, opensItself, onActions, onOpenChange: setIsOpen }
  const dialog = module && createElement(module.AuthDialog, props)
  // The key changes when the dialog opens, because the modal dialog that was shown last is on top.
  const key = String(isOpen)
  const about = failure && { key, error: failure, isRepeated: isRetried.current, onRetry: retry, onClose: close }
  return { isOpen, open, addOwner, close, prefetch, dialog, notice: about && createElement(ChunkFailure, about) }
}

function usePrefetch({ locale }: UiConfig): () => void {
  return useCallback(() => {
    dialogChunk.load().then(
      (module) => module.prefetch(locale),
      () => {},
    )
    runnerChunk.prefetch()
  }, [locale])
}

type Reactions = { load: () => void; fail: (error: unknown) => void; clear: () => void }

function useSignerEvents(config: LatchkeyConfig, { load, fail, clear }: Reactions): void {
  useEffect(() => {
    let stops: (() => void)[] = []
    const unbind = () => {
      for (const stop of stops) stop()
    }
    const bind = (signer: Signer | null) => {
      unbind()
      // After a sign-out the failure no longer matters.
      if (signer) stops = [signer.on('error', fail), signer.on('disconnected', clear)]
      if (signer?.link) load()
    }
    bind(getSigner(config))
    const unwatch = watchSigner(config)(bind)
    return () => {
      unwatch()
      unbind()
    }
  }, [config, load, fail, clear])
}

/** Lets code outside of React, such as a connector, open the dialog. */
function useOutside({ dialog }: LatchkeyConfig, open: () => void, isOpen: boolean): void {
  const asked = useRef<() => void>(undefined)
  useEffect(() => {
    // The app has registered its own dialog.
    if (dialog.open) return undefined
    dialog.open = (onClosed) => {
      asked.current = onClosed
      open()
    }
    return () => {
      dialog.open = undefined
      asked.current?.()
    }
  }, [dialog, open])
  useEffect(() => {
    if (!isOpen) asked.current?.()
  }, [isOpen])
}
