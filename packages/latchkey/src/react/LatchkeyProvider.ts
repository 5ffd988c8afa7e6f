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
import type { InitialState, LatchkeyConfig } from '../wallet/store/types.ts'
import { AuthModalContext, LatchkeyContext } from './context.ts'
import type { UiConfig } from './ui/uiConfig.ts'
import { prefetchDialog, useDialog } from './ui/useDialog.ts'

export declare namespace LatchkeyProvider {
  type Props = {
    /** From `createConfig`. Make it once, outside of components. */
    config: LatchkeyConfig
    /** What the first paint shows, on the server and in the page: of `cookieToInitialState`. */
    initialState?: InitialState | undefined
    /** @default a new client */
    queryClient?: QueryClient | undefined
    /** When given, even empty, the dialog opens by itself while a mail link is being completed. */
    uiConfig?: UiConfig | undefined
    children?: ReactNode | undefined
  }
}

const noUiConfig: UiConfig = {}
/** For the button that opens the dialog: what it needs is loaded before the press. */
const triggerProps = { onPointerEnter: prefetchDialog, onFocus: prefetchDialog, onTouchStart: prefetchDialog }

/**
 * Gives every hook its configuration, restores the stored session once, and renders the sign-in dialog.
 *
 * @example
 * ```tsx
 * import { LatchkeyProvider } from 'latchkey/react'
 * import type { ReactNode } from 'react'
 * import { config } from './config.ts'
 *
 * export function Providers({ children }: { children: ReactNode }) {
 *   return <LatchkeyProvider config={config} uiConfig={{}}>{children}</LatchkeyProvider>
 * }
 * ```
 */
export function LatchkeyProvider(props: LatchkeyProvider.Props): ReactElement {
  const { config, initialState, children, uiConfig } = props
  const [ownQueryClient] = useState(() => props.queryClient ?? new QueryClient())
  const queryClient = props.queryClient ?? ownQueryClient

  const hookUses = useRef(0)
  const hasUi = useRef(false)
  hasUi.current = uiConfig !== undefined
  const opensItself = useCallback(() => hasUi.current || hookUses.current > 0, [])
  const { isOpen, open, close, dialog, notice } = useDialog(config, uiConfig ?? noUiConfig, opensItself)

  // After the dialog's own effects, so that it receives the first event of the signer made here.
  const firstPaint = useHydration(config, initialState)

  const registerUse = useCallback(() => {
    hookUses.current++
    return () => {
      hookUses.current--
    }
  }, [])
  const context = useMemo(() => ({ config, firstPaint, queryClient }), [config, firstPaint, queryClient])
  const modal = useMemo(
    () => ({ isOpen, openAuthModal: open, closeAuthModal: close, triggerProps, registerUse }),
    [isOpen, open, close, registerUse],
  )

  // Not JSX: the `exports` project imports this file and is compiled without JSX.
  const inner = createElement(AuthModalContext.Provider, { value: modal }, children, dialog, notice)
  return createElement(LatchkeyContext.Provider, { value: context }, inner)
}

/** `initialState` is used while rendering, on the server too; storage and signer follow after the first paint, once. */
function useHydration(config: LatchkeyConfig, initialState: InitialState | undefined): LatchkeyConfig {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of the first render is the initial one
  const hydration = useMemo(() => hydrate(config, initialState), [config])
  const mounted = useRef<typeof hydration>(null)
  useEffect(() => {
    // React's strict mode mounts twice.
    if (mounted.current === hydration) return
    mounted.current = hydration
    void hydration.onMount()
  }, [hydration])
  return hydration.firstPaint
}
