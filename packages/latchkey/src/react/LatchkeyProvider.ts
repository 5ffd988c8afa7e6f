import { QueryClient } from '@tanstack/react-query'
import {
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { hydrate } from '../wallet/actions/session.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { AuthModalContext, LatchkeyContext } from './context.ts'
import { AuthModal } from './ui/AuthModal.tsx'
import type { AuthUiConfig, UiConfig } from './ui/uiConfig.ts'
import { useAuthFlow } from './ui/useAuthFlow.ts'

/** What `hydrate` takes: state read on the server. */
type InitialState = Parameters<typeof hydrate>[1]

export declare namespace LatchkeyProvider {
  type Props = {
    /** From `createConfig`. Make it once, outside of components. */
    config: LatchkeyConfig
    /** State read on the server: the `state` of what is stored under `alchemy-account-state`. */
    initialState?: InitialState | undefined
    /** Default: a client of its own. */
    queryClient?: QueryClient | undefined
    /** With it, even empty, the dialog opens by itself when a mail link is being completed. */
    uiConfig?: UiConfig | undefined
    children?: ReactNode | undefined
  }
}

const noUiConfig: UiConfig = {}
const noAuth: AuthUiConfig = {}

/** Gives every hook its configuration, brings the stored session back once, and holds the sign-in dialog. */
export function LatchkeyProvider(props: LatchkeyProvider.Props): ReactElement {
  const { config, initialState, children, uiConfig } = props
  const [ownQueryClient] = useState(() => props.queryClient ?? new QueryClient())
  const queryClient = props.queryClient ?? ownQueryClient

  const users = useRef(0)
  const ui = uiConfig ?? noUiConfig
  const hasUi = uiConfig !== undefined
  const flow = useAuthFlow(config, ui.auth ?? noAuth, () => hasUi || users.current > 0)

  // After the flow's own effects, so that the flow hears the first word of the signer made here.
  useHydration(config, initialState)

  const registerUse = useCallback(() => {
    users.current++
    return () => {
      users.current--
    }
  }, [])
  const context = useMemo(() => ({ config, queryClient }), [config, queryClient])
  const { isOpen } = flow.state
  const { open, close } = flow
  const modal = useMemo(
    () => ({ isOpen, openAuthModal: open, closeAuthModal: close, registerUse }),
    [isOpen, open, close, registerUse],
  )

  // Not JSX: the project of `exports` reads this file, and it knows no JSX.
  const dialog = createElement(AuthModal, { flow, uiConfig: ui })
  const inner = createElement(AuthModalContext.Provider, { value: modal }, children, dialog)
  return createElement(LatchkeyContext.Provider, { value: context }, inner)
}

/** `initialState` counts while rendering, on the server too; storage and signer come after the first paint, once. */
function useHydration(config: LatchkeyConfig, initialState: InitialState): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of the first render is the initial one
  const hydration = useMemo(() => hydrate(config, initialState), [config])
  const mounted = useRef<typeof hydration>(null)
  useEffect(() => {
    // React's strict mode mounts twice.
    if (mounted.current === hydration) return
    mounted.current = hydration
    void hydration.onMount()
  }, [hydration])
}
