import type { ExportAccountComponentProps } from './ExportAccountComponentProps.ts'
import { toCss } from './toCss.ts'

type ExportAccountFrameProps = ExportAccountComponentProps & { containerId: string }

/** The place the export frame goes to. */
export function ExportAccountFrame({ containerId, iframeCss, className, isExported }: ExportAccountFrameProps) {
  return (
    <>
      {iframeCss && <style>{`[id=${JSON.stringify(containerId)}] iframe{${toCss(iframeCss)}}`}</style>}
      {/* Nothing of React's goes inside: the signer replaces what it holds. */}
      <div id={containerId} className={className} style={{ display: isExported ? 'block' : 'none' }} />
    </>
  )
}
