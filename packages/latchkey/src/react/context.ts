import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { BaseError } from '../core/errors/BaseError.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'

export type LatchkeyContextValue = {
  config: LatchkeyConfig
  queryClient: QueryClient
}

export type AuthModalContextValue = {
  isOpen: boolean
  openAuthModal: () => void
  closeAuthModal: () => void
  /** Told by `useAuthModal`: this app signs in by the dialog. Returns the opposite. */
  registerUse: () => () => void
}

export const LatchkeyContext = createContext<LatchkeyContextValue | null>(null)
export const AuthModalContext = createContext<AuthModalContextValue | null>(null)

/** Throws 'must be used within LatchkeyProvider' when `hook` has no provider above it. */
export function useLatchkeyContext(hook: string): LatchkeyContextValue {
  return within(hook, useContext(LatchkeyContext))
}

export function useAuthModalContext(hook: string): AuthModalContextValue {
  return within(hook, useContext(AuthModalContext))
}

function within<value>(hook: string, value: value | null): value {
  if (value) return value
  throw new BaseError(`${hook} must be used within LatchkeyProvider`, { code: 'PROVIDER_MISSING' })
}
