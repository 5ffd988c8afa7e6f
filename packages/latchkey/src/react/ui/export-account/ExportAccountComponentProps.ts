import type { CSSProperties } from 'react'

export type ExportAccountComponentProps = {
  /** Style of the frame, in React's spelling: `{ minHeight: '120px' }`. */
  iframeCss?: CSSProperties | undefined
  className?: string | undefined
  /** From the hook. Until then nothing is seen. */
  isExported: boolean
}
