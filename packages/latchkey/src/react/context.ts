import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { BaseError } from '../core/errors/BaseError.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import type { OwnerSelection, UiConfig } from './ui/uiConfig.ts'

export type LatchkeyContextValue = {
  config: LatchkeyConfig
  /** State for rendering on the server, and in the page until the stored state has been read. */
  firstPaint: LatchkeyConfig
  queryClient: QueryClient
}

/** Event handlers for the element that opens the dialog. */
export type TriggerProps = { onPointerEnter: () => void; onFocus: () => void; onTouchStart: () => void }

export type AuthModalContextValue = {
  isOpen: boolean
  openAuthModal: () => void
  closeAuthModal: () => void
  /** Opens the dialog at the step that adds a backup key. */
  addOwner: (owner: OwnerSelection) => void
  triggerProps: TriggerProps
  /**
   * Registers a component that shows the sign-in: `useAuthModal` for the dialog, or an `AuthCard`, which completes
   * links. Returns a function that unregisters it.
   */
  register: (name: 'hook' | 'card') => () => void
  uiConfig: UiConfig
}

export const LatchkeyContext = createContext<LatchkeyContextValue | null>(null)
export const AuthModalContext = createContext<AuthModalContextValue | null>(null)

/** @throws `PROVIDER_MISSING` if `hook` is called outside of a provider. */
export function useLatchkeyContext(hook: string): LatchkeyContextValue {
  return requireProvider(hook, useContext(LatchkeyContext))
}

/** @throws `PROVIDER_MISSING` if `hook` is called outside of a provider. */
export function useAuthModalContext(hook: string): AuthModalContextValue {
  return requireProvider(hook, useContext(AuthModalContext))
}

function requireProvider<value>(hook: string, value: value | null): value {
  if (value) return value
  throw new BaseError(`${hook} must be used within LatchkeyProvider`, { code: 'PROVIDER_MISSING' })
}
