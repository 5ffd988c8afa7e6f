import type { CSSProperties } from 'react'

export type ExportAccountComponentProps = {
  /** Style of the frame, in React's spelling: `{ minHeight: '120px' }`. */
  iframeCss?: CSSProperties
  className?: string
  /** From the hook. Until then nothing is seen. */
  isExported: boolean
}
